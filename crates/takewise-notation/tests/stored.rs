//! Arrays that are not in memory: what expressions read of them.

use std::cell::RefCell;
use std::rc::Rc;

use takewise::{DType, Error, Fault, Index, Op, Result, Rules, Tensor};
use takewise_dialects::{Face, JAX, MINDSPORE, NUMPY, Store, StoredArray, TORCH, Value};
use takewise_notation::{Session, explanation};

/// 0, 1, 2, ... of shape (6, 5, 4), and how many elements each read asked for.
struct Counting {
    all: Tensor,
    asked: Rc<RefCell<Vec<usize>>>,
    /// Whether it can be read.
    there: bool,
}

impl Store for Counting {
    fn shape(&self) -> &[usize] {
        self.all.shape()
    }

    fn dtype(&self) -> DType {
        self.all.dtype()
    }

    fn read(&self, items: &[Index<'_>], rules: &Rules) -> Result<Option<Tensor>> {
        if !self.there {
            return Err(Error::plain(Fault::Storage { op: Op::Read, text: "the store is gone".to_owned() }));
        }
        let found = self.all.index(items, rules)?.clone_data()?;
        self.asked.borrow_mut().push(found.numel());
        Ok(Some(found))
    }
}

fn numbers() -> Tensor {
    Tensor::arange(0, 120, 1, Some(DType::F32)).unwrap().reshape(&[6, 5, 4]).unwrap()
}

fn session(face: &'static Face, there: bool) -> (Session, Rc<RefCell<Vec<usize>>>) {
    session_of(numbers(), face, there)
}

fn session_of(all: Tensor, face: &'static Face, there: bool) -> (Session, Rc<RefCell<Vec<usize>>>) {
    let asked = Rc::default();
    let mut session = Session::new(face);
    let store = Counting { all, asked: Rc::clone(&asked), there };
    session.set("x", Value::Stored(StoredArray::new(Rc::new(store)), face));
    (session, asked)
}

/// What an expression gives, and the elements that were read for it.
fn asked(face: &'static Face, source: &str) -> (String, Vec<usize>) {
    asked_of(numbers(), face, source)
}

fn asked_of(all: Tensor, face: &'static Face, source: &str) -> (String, Vec<usize>) {
    let (mut session, asked) = session_of(all, face, true);
    let shown = session.exec_unread(source).map(|value| value.map(|value| session.repr(&value).unwrap()));
    let text = shown.map_or_else(|error| error.render(source), Option::unwrap_or_default);
    let counts = asked.borrow().clone();
    (text, counts)
}

/// What the same gives of the array in memory.
fn wanted(face: &'static Face, source: &str) -> String {
    wanted_of(numbers(), face, source)
}

fn wanted_of(all: Tensor, face: &'static Face, source: &str) -> String {
    let mut session = Session::new(face);
    session.set("x", Value::Array(takewise_dialects::Array::new(all, face)));
    let shown = session.exec(source).map(|value| value.map(|value| session.repr(&value).unwrap()));
    shown.map_or_else(|error| error.render(source), Option::unwrap_or_default)
}

#[test]
fn what_is_touched_is_read_and_no_more() {
    for (face, source, counts) in [
        (&TORCH, "x[torch.tensor([5, 0]), torch.tensor([4, 0])]", &[8][..]),
        (&TORCH, "x[1][2][3]", &[1]),
        (&TORCH, "x[1:4, 2][:, torch.tensor([3, 0])]", &[6]),
        (&TORCH, "x[::2][torch.tensor([2]), ..., 1]", &[5]),
        (&TORCH, "x.index_select(1, torch.tensor([4, 0]))", &[48]),
        (&TORCH, "x[2:].index_select(-1, torch.tensor([3]))", &[20]),
        (&TORCH, "x[3].index_select(0, torch.tensor([1, 1]))", &[8]),
        (&TORCH, "torch.gather(x[1], 1, torch.tensor([[3], [0]]))", &[2]),
        (&TORCH, "x.take(torch.tensor([[119, 0]]))", &[2]),
        (&TORCH, "torch.take_along_dim(x, torch.tensor([[[3]]]), 2)", &[30]),
        (&TORCH, "x.shape, x.dtype, len(x[1]), x[:, None].size(), x.numel()", &[]),
        (&TORCH, "y = x[1:3]; z = y[0]; z.shape", &[]),
        (&TORCH, "torch.sort(x[0, 0], descending=True)", &[4]),
        (&TORCH, "x[0] > 3", &[20]),
        (&TORCH, "torch.where(x[0, :1] > 2, x[0, :1], x[5, :1])", &[4, 4, 4]),
        (&NUMPY, "np.take(x, [5, -1], axis=0)", &[40]),
        (&NUMPY, "np.take(x[:, ::-1], [[0], [-1]], axis=1)", &[48]),
        (&NUMPY, "np.take(x, [500, 3], mode='wrap')", &[2]),
        (&NUMPY, "np.compress([True, False, True], x, axis=2)", &[60]),
        (&NUMPY, "np.take_along_axis(x[0], np.array([[3], [2], [1], [0], [1]]), 1)", &[5]),
        (&NUMPY, "x[::-1, 1][:, [3, 0]]", &[12]),
        (&NUMPY, "x[..., 3][4, 2]", &[1]),
        (&JAX, "jnp.take(x, jnp.array([1, 4]), axis=1)", &[48]),
        // A place that is filled is nowhere in the array: all of it is read.
        (&JAX, "jnp.take(x, jnp.array([1, 40]), axis=1)", &[120]),
        (&JAX, "x[jnp.array([1, 40])]", &[40]),
    ] {
        assert_eq!(asked(face, source), (wanted(face, source), counts.to_vec()), "{source}");
    }
}

#[test]
fn of_what_is_summed_up_only_the_ends_are_read() {
    let all = || Tensor::arange(0, 40 * 7 * 30, 1, Some(DType::I16)).unwrap().reshape(&[40, 7, 30]).unwrap();
    for face in [&TORCH, &NUMPY, &MINDSPORE, &JAX] {
        for (source, counts) in [
            ("x", &[216][..]),
            ("repr(x)", &[216]),
            ("x[::2, None, 1:6, ::2]", &[180]),
            ("x[:, 0]", &[36]),
            ("x[3:, -1, 1:28]", &[999]),
            ("x[1]; x[2]", &[210, 210]),
            ("x[0], x", &[210, 8400]),
            ("y = x[:, 0]; y[0] = 9; x", &[8400]),
        ] {
            assert_eq!(asked_of(all(), face, source), (wanted_of(all(), face, source), counts.to_vec()), "{source}");
        }
        let (mut session, asked) = session_of(all(), face, true);
        let (mut other, _) = session_of(all(), face, true);
        other.set("x", Value::Array(takewise_dialects::Array::new(all(), face)));
        session.exec("print(x, x[0, 0, 0])").unwrap();
        other.exec("print(x, x[0, 0, 0])").unwrap();
        assert_eq!(session.take_output(), other.take_output());
        // A NumPy scalar is read before it is printed, a view of torch when it is.
        assert_eq!(asked.borrow().iter().sum::<usize>(), 217);
    }
}

#[test]
fn what_is_written_shows_in_every_part() {
    for source in [
        "y = x[1]; z = y[:, 2]; y[3, 2] = -1; x[1, :, 2], z",
        "y = x[1]; x[1, 0] = 5; y[0]",
        "y = x[1]; y.zero_(); x[1]",
        "y = x[2]; z = y.reshape(4, 5); z[0, 0] = -1; x[2, 0]",
        "y = x[2]; torch.take(x, torch.tensor([40]), out=y[0, 0]); x[2, 0]",
        "y = [x[1]]; y[0][0] = 7; x[1, 0]",
        "y = x[torch.tensor([1])]; y[0] = 7; x[1, 0]",
        "y = x[torch.tensor(1)]; y[0] = 7; x[1, 0]",
        "y = x.T; y[0, 0, 0] = 7; x[0, 0]",
        "x[2:4].index_fill_(1, torch.tensor([0]), 9); x[3, :2]",
    ] {
        assert_eq!(asked(&TORCH, source).0, wanted(&TORCH, source), "{source}");
    }
}

#[test]
fn errors_are_the_librarys_and_read_nothing() {
    for (face, source) in [
        (&TORCH, "x[torch.tensor([0, 6])]"),
        (&TORCH, "x[1][5]"),
        (&TORCH, "x[2:].index_select(0, torch.tensor([4]))"),
        (&TORCH, "x.gather(0, torch.tensor([[[6]]]))"),
        (&TORCH, "x[1].index_select(2, torch.tensor([0]))"),
        (&TORCH, "x[1].take_along_dim(torch.tensor([0]), 0)"),
        (&NUMPY, "np.take(x, [6], axis=0)"),
        (&NUMPY, "x[1][[0, -6]]"),
        (&NUMPY, "x['a']"),
        (&NUMPY, "x.nothing"),
    ] {
        assert_eq!(asked(face, source), (wanted(face, source), vec![]), "{source}");
    }
}

#[test]
fn a_store_that_fails_is_an_error() {
    let (mut session, _) = session(&TORCH, false);
    assert_eq!(
        session.exec("y = x[1]; y.shape; y[0, 1].dtype; y.numel()").unwrap().map(|v| format!("{v:?}")).unwrap(),
        "20"
    );
    for source in ["x", "x[1]", "x[torch.tensor([1])]", "x[0] = 1", "x.take(torch.tensor([1]))", "print(y)", "x + 1"] {
        let error = session.exec(source).unwrap_err();
        assert_eq!((error.class(), error.text()), ("OSError", "read: the store is gone"), "{source}");
    }
}

#[test]
fn explanations_read_the_operands() {
    let (mut session, asked) = session(&TORCH, true);
    let explained = explanation(&mut session, "y = x[1]; y.index_select(0, torch.tensor([4, 0]))").unwrap();
    assert_eq!(explained.operands[0].shape, [5, 4]);
    assert_eq!(*asked.borrow(), [20]);
}

/// 40 x 30 x 10 numbers, more than an explanation shows, and 1024 x 1024, on which no call is made.
fn many() -> Tensor {
    Tensor::arange(0, 12000, 1, Some(DType::I64)).unwrap().reshape(&[40, 30, 10]).unwrap()
}

fn lots() -> Tensor {
    Tensor::arange(0, 1 << 20, 1, Some(DType::I64)).unwrap().reshape(&[1024, 1024]).unwrap()
}

#[test]
fn explanations_read_what_is_touched() {
    let cases: [(&'static Face, &str, &[usize]); 20] = [
        (&TORCH, "x[torch.tensor([3, 39]), 2]", &[20]),
        (&TORCH, "x[5]", &[300]),
        (&TORCH, "x[5:7][1][::2, 3]", &[300]),
        (&TORCH, "x[0, 1, 2]", &[1]),
        (&TORCH, "x[::-1]", &[]),
        (&TORCH, "x[:, torch.tensor([40])]", &[]),
        (&TORCH, "x.index_select(2, torch.tensor([9, 9]))", &[1200]),
        (&TORCH, "torch.take(x, torch.tensor([[119, 0]]))", &[2]),
        (&TORCH, "torch.gather(x[1:], 1, torch.tensor([[[3], [0]]]))", &[2]),
        (&TORCH, "x.size(1)", &[]),
        (&TORCH, "x.shape", &[]),
        (&TORCH, "x.T", &[12000]),
        (&TORCH, "x.sum(0)", &[12000]),
        (&TORCH, "x[2, 1] = -1", &[10]),
        (&TORCH, "x[torch.tensor([2, 2]), 1] += 1", &[10]),
        (&NUMPY, "np.take(x, [5, -1], axis=0)", &[600]),
        (&NUMPY, "np.compress([True, False, True], x, axis=0)", &[600]),
        (&NUMPY, "np.take(np.array([7, 8, 9]), x[0, 0, :3])", &[3]),
        (&MINDSPORE, "x[3, 4]", &[10]),
        (&JAX, "x[jnp.array([1, 40])]", &[600]),
    ];
    for (face, source, counts) in cases {
        let (mut kept, asked) = session_of(many(), face, true);
        let mut known = Session::new(face);
        known.set("x", Value::Array(takewise_dialects::Array::new(many(), face)));
        let (got, want) = (explanation(&mut kept, source), explanation(&mut known, source));
        match (got, want) {
            (Ok(got), Ok(want)) => {
                assert_eq!(got.results, want.results, "{source}");
                assert_eq!(got.operands, want.operands, "{source}");
                assert_eq!(got.error, want.error, "{source}");
            }
            (Err(got), Err(want)) => assert_eq!(got.to_string(), want.to_string(), "{source}"),
            (got, want) => panic!("{source}: {got:?}, not {want:?}"),
        }
        assert_eq!(*asked.borrow(), counts, "{source}");
    }
}

#[test]
fn explanations_of_calls_that_are_not_made_read_nothing() {
    for (face, source) in [
        (&TORCH, "x[torch.tensor([3, 39])]"),
        (&TORCH, "x[1:].index_select(1, torch.tensor([9, 9]))"),
        (&TORCH, "x.T"),
        (&TORCH, "x[torch.tensor([3, 3000])]"),
        (&TORCH, "x[torch.tensor([3, 39])] = 5"),
        (&NUMPY, "np.take(x, [5, -1], axis=0)"),
        (&NUMPY, "x.reshape(-1)[5]"),
    ] {
        let (mut kept, asked) = session_of(lots(), face, true);
        let mut known = Session::new(face);
        known.set("x", Value::Array(takewise_dialects::Array::new(lots(), face)));
        let (got, want) = (explanation(&mut kept, source).unwrap(), explanation(&mut known, source).unwrap());
        let results = |e: &takewise_explain::data::Explanation| {
            e.results.iter().map(|r| (r.shape.clone(), r.cells.clone(), r.values.clone())).collect::<Vec<_>>()
        };
        assert_eq!(results(&got), results(&want), "{source}");
        assert_eq!((&got.error, &got.operands), (&want.error, &want.operands), "{source}");
        assert_eq!(*asked.borrow(), [0; 0], "{source}");
    }
}

#[test]
fn a_stored_index_is_no_data() {
    let all = || Tensor::from_vec(vec![2i64, 0, 1, 1], &[4]).unwrap();
    let masks = || Tensor::from_vec(vec![true, false, true], &[3]).unwrap();
    for source in ["np.take(np.array([7, 8, 9]), x)", "np.take(np.array([7, 8, 9]), x[1:], axis=0)"] {
        assert_eq!(asked_of(all(), &NUMPY, source).0, wanted_of(all(), &NUMPY, source), "{source}");
    }
    for source in ["np.compress(x, np.array([True, False, False]))", "np.extract(x, np.array([True, False, False]))"] {
        assert_eq!(asked_of(masks(), &NUMPY, source).0, wanted_of(masks(), &NUMPY, source), "{source}");
    }
    let source = "torch.take(torch.tensor([7, 8, 9]), x)";
    assert_eq!(asked_of(all(), &TORCH, source).0, wanted_of(all(), &TORCH, source));
}
