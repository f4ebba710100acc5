//! Operands hold what they were given, whatever the twist, and notice a stray write.

use takewise::DType;
use takewise_testkit::operand::twists;
use takewise_testkit::{Arr, Operand, Rng, Twist};

#[test]
fn every_twist_holds_the_array() {
    let sizes = [1, 2, 3, 4, 8, 12, 16, 24];
    for size in sizes {
        let dtype = DType::Opaque { size, align: 1, tag: 0 };
        for shape in [&[][..], &[3], &[0, 2], &[1, 4], &[2, 3, 2]] {
            let a = Arr::arange(shape, dtype);
            for (name, twist) in twists(shape.len()) {
                let mut o = Operand::new(&a, &twist);
                assert_eq!(o.now(), a, "{name}");
                assert!(o.guards_intact(), "{name}");
                assert_eq!(o.view().shape(), shape);
                assert_eq!(o.view_mut().shape(), shape);
            }
        }
    }
    let mut rng = Rng::new(1);
    for _ in 0..500 {
        let rank = rng.below(5);
        let shape = rng.shape(rank, 4);
        let a = rng.arr(&shape, DType::I16);
        let o = Operand::new(&a, &Twist::random(&mut rng, rank, true));
        assert_eq!(o.now(), *o.value());
        for (k, c) in takewise_testkit::coords(&shape).iter().enumerate() {
            assert_eq!(o.view().bytes_at(c).unwrap()[..2], o.value().data[k][..2]);
        }
    }
}

#[test]
fn a_stray_write_shows() {
    let a = Arr::arange(&[2, 2], DType::I32);
    let mut o = Operand::new(&a, &Twist { gap: 4, ..Twist::default() });
    let mut view = o.view_mut();
    // SAFETY: inside the operand's memory: the gap behind its first element.
    unsafe { view.as_mut_ptr().add(4).write(0) };
    assert!(!o.guards_intact());
    assert_eq!(o.now(), a);
}
