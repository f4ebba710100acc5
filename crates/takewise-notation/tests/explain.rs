//! What `explain` says of elements: from the plan and its offsets, duplicates in order.

use takewise_dialects::TORCH;
use takewise_notation::{Session, explain};

fn lines(source: &str) -> String {
    let text = explain(&mut Session::new(&TORCH), source).unwrap();
    text.find("\nelements").map_or_else(String::new, |at| text[at + 1..].to_owned())
}

#[test]
fn sums_show_the_place_itself_and_all_that_come_to_it() {
    let source = "src = torch.tensor([1., 2., 3.])\ntorch.zeros(4).scatter_add_(0, torch.tensor([3, 1, 3]), src)";
    assert_eq!(lines(source), "elements written:\n  [1] <- [1] + source[1]\n  [3] <- [3] + source[0] + source[2]\n");
}

#[test]
fn of_values_that_meet_the_last_stays() {
    let source = "x = torch.zeros(3)\nx[torch.tensor([0, 2, 0])] = torch.tensor([5., 6., 7.])";
    let want = "elements written:\n  [0] <- value[2], the last of value[0], value[2]\n  [2] <- value[1]\n";
    assert_eq!(lines(source), want);
}

#[test]
fn whole_numbers_are_data_too() {
    let source = "x = torch.tensor([7, 8, 9])\nx.gather(0, torch.tensor([2, 0]))";
    assert_eq!(lines(source), "elements:\n  [0] <- input[2]\n  [1] <- input[0]\n");
}

#[test]
fn a_number_goes_to_each_place() {
    let source = "x = torch.zeros(2, 2)\nx[:, 1] = 5";
    assert_eq!(lines(source), "elements written:\n  [0, 1] <- the number\n  [1, 1] <- the number\n");
}

#[test]
fn a_bad_index_value_is_the_error_of_the_call() {
    let error = explain(&mut Session::new(&TORCH), "x = torch.zeros(3)\nx[torch.tensor([0, 9])]").unwrap_err();
    assert!(error.to_string().contains("index 9 is out of bounds"), "{error}");
}

#[test]
fn a_search_moves_nothing() {
    assert_eq!(lines("torch.bucketize(torch.tensor([1., 2.]), torch.tensor([0., 1.5, 3.]))"), "");
}

#[test]
fn views_are_told_by_their_layout() {
    assert_eq!(lines("x = torch.zeros(2, 2)\nx.t()[1]"), "elements:\n  [0] <- input[1, 0]\n  [1] <- input[1, 1]\n");
}

#[test]
fn elements_that_a_view_repeats_are_told_each_time() {
    let want = "elements:\n  [0, 0] <- input[0, 0]\n  [0, 1] <- input[0, 0]\n";
    assert_eq!(lines("x = torch.zeros(1, 1)\nx.expand(1, 2)"), want);
}

#[test]
fn what_a_rule_leaves_out_is_named() {
    let source = "x = jnp.zeros(2)\nx.at[jnp.array([0, 5])].set(jnp.array([3., 4.]))";
    let text = explain(&mut Session::new(&takewise_dialects::JAX), source).unwrap();
    assert!(text.ends_with("elements written:\n  [0] <- source[0]\n  left out: source[1]\n"), "{text}");
}
