//! Making tensors: values, dtypes, sizes at both ends, and random numbers as torch 2.15 draws them.

use takewise::index::rules::Conversion;
use takewise::tensor::cast;
use takewise::{Complex, DType, Element, Kind, Scalar, Slice, Tensor, View, bf16, dtype::DTYPES, f16, tensor};
use takewise_dialects::random::{self, Generator};

#[test]
fn zeros_ones_and_full_in_every_dtype() {
    for dtype in DTYPES {
        let one = Tensor::ones(&[2, 3], dtype).unwrap();
        assert_eq!(
            one.select(0, 1).unwrap().select(0, 2).unwrap().item().unwrap(),
            match dtype {
                DType::Bool => Scalar::Bool(true),
                d if d.is_integer() => Scalar::Int(1),
                d if d.is_complex() => Scalar::Complex(1.0, 0.0),
                _ => Scalar::Float(1.0),
            }
        );
        assert_eq!(
            Tensor::zeros(&[1], dtype).unwrap().item().unwrap(),
            match dtype {
                DType::Bool => Scalar::Bool(false),
                d if d.is_integer() => Scalar::Int(0),
                d if d.is_complex() => Scalar::Complex(0.0, 0.0),
                _ => Scalar::Float(0.0),
            }
        );
    }
    assert_eq!(Tensor::full(&[2], -1, DType::U8).unwrap().to_vec::<u8>().unwrap(), [255, 255]);
    assert_eq!(Tensor::full(&[2], 2.9, DType::I64).unwrap().to_vec::<i64>().unwrap(), [2, 2]);
    assert_eq!(Tensor::full(&[2], 300, DType::U8).unwrap_err().kind(), Kind::Value);
    assert_eq!(Tensor::full(&[0], 300, DType::U8).unwrap_err().kind(), Kind::Value);
    assert_eq!(Tensor::full(&[1], 1, DType::opaque::<[u8; 3]>()).unwrap_err().kind(), Kind::DType);
    assert_eq!(tensor!([1, 2]).full_like(2.5).unwrap().to_vec::<i64>().unwrap(), [2, 2]);
}

#[test]
fn arange_counts_and_rounds_as_torch() {
    let a = |s: Scalar, e: Scalar, by: Scalar, d| Tensor::arange(s, e, by, d);
    let ints = |s: i64, e: i64, by: i64| a(s.into(), e.into(), by.into(), None).unwrap().to_vec::<i64>().unwrap();
    assert_eq!(ints(0, 5, 1), [0, 1, 2, 3, 4]);
    assert_eq!(ints(5, 0, -2), [5, 3, 1]);
    assert_eq!(ints(3, 3, 1), []);
    assert_eq!(ints(1 << 62, i64::MAX, 1 << 61), [1 << 62, 3 << 61]);
    assert_eq!(ints(i64::MIN, i64::MAX, 1 << 62), [i64::MIN, -1 << 62, 0, 1 << 62], "torch gives none: it overflows");
    let half = Tensor::arange(0, 10, 2.5, None).unwrap();
    assert_eq!(half.to_vec::<f32>().unwrap(), [0.0, 2.5, 5.0, 7.5]);
    assert_eq!(Tensor::arange(0, 1, 0.1, Some(DType::I64)).unwrap().to_vec::<i64>().unwrap(), [0; 10]);
    assert_eq!(Tensor::arange(1.5, 5, 1, Some(DType::I32)).unwrap().to_vec::<i32>().unwrap(), [1, 2, 3, 4]);
    assert_eq!(Tensor::arange(0, 300, 100, Some(DType::U8)).unwrap().to_vec::<u8>().unwrap(), [0, 100, 200]);
    let f: Vec<f32> = [0.0, 1.0, 2.0].to_vec();
    assert_eq!(
        Tensor::arange(0, 3, 1, Some(DType::F16)).unwrap().to_vec::<f16>().unwrap(),
        [0.0, 1.0, 2.0].map(f16::from_f32)
    );
    assert_eq!(
        Tensor::arange(0, 3, 1, Some(DType::BF16)).unwrap().to_vec::<bf16>().unwrap(),
        [0.0, 1.0, 2.0].map(bf16::from_f32)
    );
    assert_eq!(Tensor::arange(0.0, 3, 1, None).unwrap().to_vec::<f32>().unwrap(), f);
    let long = Tensor::arange(0, 100, 0.1, Some(DType::F64)).unwrap().to_vec::<f64>().unwrap();
    assert!(long.len() == 1000 && long.iter().enumerate().all(|(k, v)| *v == k as f64 * 0.1), "no drift");
    let nan = Scalar::Float(f64::NAN);
    for (s, e, by) in [
        (0.into(), 5.into(), 0.into()),
        (0.into(), 5.into(), (-1).into()),
        (5.into(), 0.into(), 1.into()),
        (0.into(), f64::INFINITY.into(), 1.into()),
        (0.into(), nan, 1.into()),
        (0.into(), 1.into(), nan),
        (Scalar::Int(i128::MIN), Scalar::Int(i128::MAX), 1.into()),
        (0.0.into(), 1e300.into(), 1e-300.into()),
        (0.into(), Scalar::Complex(1.0, 1.0), 1.into()),
    ] {
        assert_eq!(a(s, e, by, None).unwrap_err().kind(), Kind::Argument, "{s:?} {e:?} {by:?}");
    }
    assert_eq!(a(0.into(), i64::MAX.into(), 1.into(), None).unwrap_err().kind(), Kind::Memory);
    assert_eq!(a(0.into(), 5.into(), 1.into(), Some(DType::Bool)).unwrap_err().kind(), Kind::DType);
    assert_eq!(a(0.into(), 5.into(), 1.into(), Some(DType::C64)).unwrap_err().kind(), Kind::DType);
}

#[test]
fn literals_have_torchs_types() {
    assert_eq!(tensor!([[1, 2], [3, 4], [5, 6]]).shape(), [3, 2]);
    assert_eq!(tensor!([1, -2]).to_vec::<i64>().unwrap(), [1, -2]);
    assert_eq!(tensor!([[0.5], [1.5]]).to_vec::<f32>().unwrap(), [0.5, 1.5]);
    assert_eq!(tensor!([true, false]).dtype(), DType::Bool);
    assert_eq!(tensor!(7).item().unwrap(), Scalar::Int(7));
    assert_eq!(tensor!(f64: [[1.0, 2.0]]).dtype(), DType::F64);
    assert_eq!(tensor!(i32: []).shape(), [0]);
    assert_eq!(tensor!([3u8, 4]).dtype(), DType::U8);
    assert_eq!(tensor!(Complex<f32>: [Complex::new(1.0, 2.0)]).item().unwrap(), Scalar::Complex(1.0, 2.0));
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Record {
    key: u32,
    value: [f32; 5],
}
// SAFETY: plain numbers without padding, moved only as the bytes they are.
unsafe impl Element for Record {
    const DTYPE: DType = DType::opaque::<Record>();
}

#[test]
fn records_are_elements() {
    let all: Vec<Record> = (0..6).map(|k| Record { key: k, value: [k as f32; 5] }).collect();
    let x = Tensor::from_slice(&all, &[2, 3]).unwrap();
    let t = x.t().unwrap().contiguous().unwrap();
    assert_eq!(t.to_vec::<Record>().unwrap(), [0, 3, 1, 4, 2, 5].map(|k| all[k as usize]));
    assert_eq!(x.reversed(&[1]).unwrap().read::<Record>().unwrap().get(&[1, 0]), Some(all[5]));
    assert_eq!(x.select(0, 0).unwrap().select(0, 0).unwrap().item().unwrap_err().kind(), Kind::DType);
    assert_eq!(x.into_vec::<Record>().unwrap(), all);
}

#[test]
fn vectors_come_back_as_they_went_in() {
    let data: Vec<i64> = (0..1000).collect();
    let address = data.as_ptr();
    let x = Tensor::from_vec(data, &[10, 100]).unwrap();
    let alias = x.clone();
    let copy = x.into_vec::<i64>().unwrap();
    assert_ne!(copy.as_ptr(), address, "somebody else still holds it");
    let back = alias.view(&[1000]).unwrap();
    drop(alias);
    let back = back.into_vec::<i64>().unwrap();
    assert_eq!(back.as_ptr(), address);
    assert_eq!(back, copy);
    let part = Tensor::from_vec(back, &[1000]).unwrap().narrow(0, 3, 4).unwrap();
    assert_eq!(part.into_vec::<i64>().unwrap(), [3, 4, 5, 6]);
    assert_eq!(Tensor::from_vec(vec![1, 2], &[3]).unwrap_err().kind(), Kind::Argument);
    assert_eq!(Tensor::from_vec(vec![1, 2], &[2]).unwrap().into_vec::<i64>().unwrap_err().kind(), Kind::DType);
    assert_eq!(Tensor::from_vec(Vec::<f32>::new(), &[0, 4]).unwrap().into_vec::<f32>().unwrap(), []);
}

#[test]
fn item_needs_exactly_one() {
    assert_eq!(tensor!([[2.5]]).item().unwrap(), Scalar::Float(2.5));
    assert_eq!(tensor!(u64: u64::MAX).item().unwrap(), Scalar::Int(u64::MAX.into()));
    assert_eq!(tensor!([1, 2]).item().unwrap_err().kind(), Kind::Argument);
    assert_eq!(Tensor::zeros(&[0], DType::F32).unwrap().item().unwrap_err().kind(), Kind::Argument);
}

#[test]
fn random_numbers_are_those_of_torch() {
    let seeded = Generator::seeded;
    let f32s = |n, seed| random::rand(&[n], DType::F32, &mut seeded(seed)).unwrap().to_vec::<f32>().unwrap();
    let zero = f32s(20, 0);
    assert_eq!(zero[..4], [0.496_256_6, 0.768_221_8, 0.088_477_43, 0.132_030_49]);
    assert_eq!(zero[16..], [0.697_667_6, 0.800_011_4, 0.161_029_46, 0.282_268_58]);
    assert_eq!(f32s(3, (1 << 40) + 5), [0.830_251_9, 0.126_110_91, 0.907_469_7]);
    assert_eq!(f32s(3, u64::MAX), [0.993_799_4, 0.571_306_35, 0.570_008_04]);
    let f64s = random::rand(&[3], DType::F64, &mut seeded(0)).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(f64s, [0.970_053_001_806_553_1, 0.707_819_864_399_788, 0.459_382_943_127_450_87]);
    let mut g = seeded(0);
    let half = random::rand(&[3], DType::F16, &mut g).unwrap().to_vec::<f16>().unwrap();
    let brain = random::rand(&[3], DType::BF16, &mut g).unwrap().to_vec::<bf16>().unwrap();
    assert_eq!(half.map_f32(), [0.496_337_9, 0.768_066_4, 0.088_500_98]);
    assert_eq!(brain.map_f32(), [0.131_835_94, 0.306_640_63, 0.632_812_5]);
    let mut g = seeded(0);
    let ints =
        |lo, hi, n, g: &mut Generator| random::randint(lo, hi, &[n], DType::I64, g).unwrap().to_vec::<i64>().unwrap();
    assert_eq!(ints(0, 10, 6, &mut g), [4, 9, 3, 0, 3, 9]);
    assert_eq!(ints(-5, 1_000_000_007, 4, &mut g), [274_589_018, 853_881_550, 496_708_181, 791_379_058]);
    assert_eq!(
        ints(0, 1 << 40, 4, &mut seeded(0)),
        [741_280_623_151, 506_137_267_392, 291_447_657_211, 841_157_541_223]
    );
    let order = random::randperm(10, &mut seeded(0)).unwrap().to_vec::<i64>().unwrap();
    assert_eq!(order, [4, 1, 7, 5, 3, 9, 0, 8, 6, 2]);
}

trait MapF32 {
    fn map_f32(&self) -> Vec<f32>;
}
impl MapF32 for Vec<f16> {
    fn map_f32(&self) -> Vec<f32> {
        self.iter().map(|v| v.to_f32()).collect()
    }
}
impl MapF32 for Vec<bf16> {
    fn map_f32(&self) -> Vec<f32> {
        self.iter().map(|v| v.to_f32()).collect()
    }
}

#[test]
fn random_numbers_stay_in_range_and_bad_ranges_are_refused() {
    let g = &mut Generator::seeded(7);
    let x = random::randint(-3, 4, &[50, 20], DType::I8, g).unwrap().to_vec::<i8>().unwrap();
    assert_eq!((x.iter().min(), x.iter().max()), (Some(&-3), Some(&3)));
    let x = random::randint(i64::MIN, i64::MAX, &[100], DType::I64, g).unwrap().to_vec::<i64>().unwrap();
    assert!(x.iter().any(|v| *v < -(1 << 61)) && x.iter().any(|v| *v > 1 << 61));
    assert!(
        random::rand(&[1000], DType::F64, g).unwrap().to_vec::<f64>().unwrap().iter().all(|v| (0.0..1.0).contains(v))
    );
    assert_eq!(random::randint(5, 5, &[2], DType::I64, g).unwrap_err().kind(), Kind::Argument);
    assert_eq!(random::randint(0, 300, &[2], DType::U8, g).unwrap_err().kind(), Kind::Argument);
    assert_eq!(random::randint(0, 2, &[2], DType::C64, g).unwrap_err().kind(), Kind::DType);
    assert_eq!(random::rand(&[2], DType::I64, g).unwrap_err().kind(), Kind::DType);
    let mut order = random::randperm(1000, g).unwrap().into_vec::<i64>().unwrap();
    order.sort_unstable();
    assert!(order.iter().copied().eq(0..1000));
    assert_eq!(random::randperm(0, g).unwrap().numel(), 0);
}

#[test]
fn impossible_sizes_are_errors() {
    assert_eq!(Tensor::zeros(&[usize::MAX, 2], DType::U8).unwrap_err().kind(), Kind::Memory);
    assert_eq!(Tensor::zeros(&[1 << 40, 1 << 40], DType::U8).unwrap_err().kind(), Kind::Memory);
    assert_eq!(Tensor::zeros(&[isize::MAX as usize / 8], DType::I64).unwrap_err().kind(), Kind::Memory);
    assert_eq!(Tensor::zeros(&[isize::MAX as usize], DType::U8).unwrap_err().kind(), Kind::Memory);
    assert_eq!(random::rand(&[1 << 59], DType::F32, &mut Generator::seeded(0)).unwrap_err().kind(), Kind::Memory);
}

#[test]
fn more_elements_than_fit_memory_can_be_viewed_but_not_copied_out() {
    let wide = tensor!(i64: [7]).expand(&[1 << 59]).unwrap();
    assert_eq!(wide.select(0, -1).unwrap().item().unwrap(), Scalar::Int(7));
    assert_eq!(wide.to_vec::<i64>().unwrap_err().kind(), Kind::Memory);
    assert_eq!(wide.contiguous().unwrap_err().kind(), Kind::Memory);
    assert_eq!(wide.clone_data().unwrap_err().kind(), Kind::Memory);
}

#[test]
#[cfg(all(target_pointer_width = "64", not(miri)))] // needs a 40 GB address range and an OS that commits lazily
fn beyond_32_bits_of_elements_and_of_bytes() {
    const N: usize = 5 << 30; // elements: beyond 2^32; bytes at 8 each: 40 GiB, of which a few pages are touched
    let x = match Tensor::zeros(&[N], DType::I64) {
        Ok(x) => x,
        // A machine that refuses the address range: a smaller one still crosses both 2^31 elements and 2^32 bytes.
        Err(_) => Tensor::zeros(&[3 << 30], DType::U16).and_then(|t| t.view(&[-1])).unwrap(),
    };
    let n = x.numel();
    assert!(n > 1 << 31 && n * x.dtype().size() > 1 << 32);
    let far = [0, 1 << 31, (1 << 31) + 1, n / 2, n - 1];
    if x.dtype() == DType::I64 {
        let mut open = x.write::<i64>().unwrap();
        far.iter().enumerate().for_each(|(k, &at)| assert!(open.set(&[at], k as i64 + 1)));
    } else {
        let mut open = x.write::<u16>().unwrap();
        far.iter().enumerate().for_each(|(k, &at)| assert!(open.set(&[at], k as u16 + 1)));
    }
    for (k, &at) in far.iter().enumerate() {
        let want = Scalar::Int(k as i128 + 1);
        assert_eq!(x.select(0, at as i64).unwrap().item().unwrap(), want);
        assert_eq!(x.select(0, at as i64 - n as i64).unwrap().item().unwrap(), want);
        assert_eq!(x.reversed(&[0]).unwrap().select(0, (n - 1 - at) as i64).unwrap().item().unwrap(), want);
        let rows = x.view(&[-1, 1 << 10]).unwrap();
        let cell = rows.select(0, (at >> 10) as i64).unwrap().select(0, (at & 1023) as i64).unwrap();
        assert_eq!((cell.item().unwrap(), cell.storage_offset()), (want, at));
    }
    let sparse = x.slice(0, Slice { start: Some(n as i64 - 1), stop: None, step: Some(-(1 << 29)) }).unwrap();
    assert_eq!(sparse.select(0, 0).unwrap().item().unwrap(), Scalar::Int(5));
    let few = sparse.contiguous().unwrap();
    assert_eq!(few.shape(), [n.div_ceil(1 << 29)]);
    assert_eq!(few.select(0, 0).unwrap().item().unwrap(), Scalar::Int(5));
}

#[test]
#[cfg(target_pointer_width = "64")]
fn bytes_beyond_32_bits_in_ring_0() {
    let x = Tensor::zeros(&[5, 1 << 30], DType::U8).unwrap();
    let mut open = x.write_any().unwrap();
    let corner = open.view_mut().select(0, 4).unwrap().narrow(0, (1 << 30) - 2, 2).unwrap();
    assert!(corner.typed::<u8>().unwrap().set(&[1], 9));
    let v: View<'_, u8> = open.view().typed().unwrap();
    assert_eq!(v.get(&[4, (1 << 30) - 1]), Some(9));
    assert_eq!(v.t().unwrap().get(&[(1 << 30) - 1, 4]), Some(9));
}

#[test]
fn casts_views_of_any_stride() {
    let data: Vec<i64> = (0..600).map(|v| v - 300).collect();
    let x = View::strided(&data, 599, &[20, 30], &[-1, -20]).unwrap();
    let got = cast(&x.any(), DType::I8, Conversion::RangeChecked).unwrap();
    let want: Vec<i8> = x.to_vec().into_iter().map(|v| v as i8).collect();
    assert_eq!(got.to_vec::<i8>().unwrap(), want);
}

#[test]
fn same_dtype_shares_and_doubles_round_through_single() {
    let v = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    let x = Tensor::from_slice(&[v], &[1]).unwrap();
    assert_eq!(x.half().unwrap().to_vec::<f16>().unwrap()[0].to_f64(), 1.0);
    let once = cast(&x.read_any().unwrap().view(), DType::F16, Conversion::IntegersChecked).unwrap();
    assert_eq!(once.to_vec::<f16>().unwrap()[0].to_f64(), 1.0 + 2f64.powi(-10));
    x.double().unwrap().write::<f64>().unwrap().set(&[0], 5.0);
    assert_eq!(x.to_vec::<f64>().unwrap(), [5.0]);
}
