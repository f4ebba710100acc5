//! takewise inside another framework: `gather` as an operation of candle, forward and backward.
//!
//! ```sh
//! cargo run --manifest-path bench/Cargo.toml --example candle_gather
//! ```
//!
//! candle lends its storage, takewise reads it where it lies (any strides, no copy of the operands), and the gradient is
//! the same plan turned round: `takewise::grad::gather`. Values out of range are takewise's errors, and negative ones
//! count from the end, which candle's own `gather` does not have.

use candle_core::{CpuStorage, CustomOp2, Device, Layout, Result, Shape, Tensor, Var};
use takewise::{AnyView, Rules, View, grad, ops};

/// `x.gather(index, dim)`.
struct Gather {
    dim: usize,
}

/// The gradient of `x`, from the index and the gradient of the result.
struct GatherGrad {
    dim: usize,
    shape: Vec<usize>,
}

/// candle's memory as a view.
fn lend<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<AnyView<'a>> {
    fn strided<'a, T: takewise::Element>(data: &'a [T], layout: &Layout) -> Result<AnyView<'a>> {
        let strides: Vec<isize> = layout.stride().iter().map(|s| *s as isize).collect();
        let view =
            View::strided(data, layout.start_offset(), layout.dims(), &strides).map_err(candle_core::Error::wrap)?;
        Ok(view.any())
    }
    match storage {
        CpuStorage::U8(data) => strided(data, layout),
        CpuStorage::U32(data) => strided(data, layout),
        CpuStorage::I64(data) => strided(data, layout),
        CpuStorage::F32(data) => strided(data, layout),
        CpuStorage::F64(data) => strided(data, layout),
        other => candle_core::bail!("this example knows u8, u32, i64, f32 and f64, not {other:?}"),
    }
}

/// A fresh result as candle's storage; its memory moves, it is not copied.
fn hand_over(tensor: takewise::Tensor) -> Result<(CpuStorage, Shape)> {
    let shape = Shape::from(tensor.shape());
    let storage = match tensor.dtype() {
        takewise::DType::U8 => tensor.into_vec().map(CpuStorage::U8),
        takewise::DType::U32 => tensor.into_vec().map(CpuStorage::U32),
        takewise::DType::I64 => tensor.into_vec().map(CpuStorage::I64),
        takewise::DType::F32 => tensor.into_vec().map(CpuStorage::F32),
        _ => tensor.into_vec().map(CpuStorage::F64),
    };
    Ok((storage.map_err(candle_core::Error::wrap)?, shape))
}

impl CustomOp2 for Gather {
    fn name(&self) -> &'static str {
        "takewise gather"
    }

    fn cpu_fwd(&self, x: &CpuStorage, x_at: &Layout, i: &CpuStorage, i_at: &Layout) -> Result<(CpuStorage, Shape)> {
        let (x, index) = (lend(x, x_at)?, lend(i, i_at)?);
        hand_over(ops::gather(x, self.dim as i64, index, &Rules::NEUTRAL).map_err(candle_core::Error::wrap)?)
    }

    fn bwd(&self, x: &Tensor, i: &Tensor, _: &Tensor, g: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let gradient = GatherGrad { dim: self.dim, shape: x.dims().to_vec() };
        Ok((Some(i.apply_op2_no_bwd(g, &gradient)?), None))
    }
}

impl CustomOp2 for GatherGrad {
    fn name(&self) -> &'static str {
        "takewise gather, gradient"
    }

    fn cpu_fwd(&self, i: &CpuStorage, i_at: &Layout, g: &CpuStorage, g_at: &Layout) -> Result<(CpuStorage, Shape)> {
        let (index, g) = (lend(i, i_at)?, lend(g, g_at)?);
        let found = grad::gather(&self.shape, self.dim as i64, index, g, &Rules::NEUTRAL);
        hand_over(found.map_err(candle_core::Error::wrap)?)
    }
}

fn main() -> Result<()> {
    let cpu = Device::Cpu;
    let x = Var::from_tensor(&Tensor::new(&[[1f32, 2., 3.], [4., 5., 6.]], &cpu)?)?;
    let index = Tensor::new(&[[0i64, 0, -1], [2, 1, 1]], &cpu)?;

    let y = x.apply_op2(&index, Gather { dim: 1 })?;
    println!("x.gather(index, 1) = {:?}", y.to_vec2::<f32>()?);
    assert_eq!(y.to_vec2::<f32>()?, [[1., 1., 3.], [6., 5., 5.]]);

    // Each place gets the sum of the gradients of where it was read: d(y * w)/dx.
    let w = Tensor::new(&[[1f32, 10., 100.], [1000., 1., 2.]], &cpu)?;
    let grads = (&y * &w)?.sum_all()?.backward()?;
    let gradient = grads.get(&x).expect("x takes part").to_vec2::<f32>()?;
    println!("its gradient       = {gradient:?}");
    assert_eq!(gradient, [[11., 0., 100.], [0., 3., 1000.]]);

    // Transposed without a copy, and candle's own operation agrees where it has the case.
    let t = x.t()?;
    let rows = Tensor::new(&[[0i64, 1], [2, 2], [1, 0]], &cpu)?;
    let ours = t.apply_op2(&rows, Gather { dim: 0 })?;
    assert_eq!(ours.to_vec2::<f32>()?, t.contiguous()?.gather(&rows, 0)?.to_vec2::<f32>()?);

    let far = Tensor::new(&[[0i64, 7, 0]], &cpu)?;
    println!("out of range       : {}", x.apply_op2(&far, Gather { dim: 1 }).unwrap_err());
    Ok(())
}
