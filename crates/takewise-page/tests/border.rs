//! The three C functions of the browser's build, called as a browser calls them. They are compiled here as well, so that the lints
//! of the workspace see them.

#[path = "../wasm/src/lib.rs"]
#[allow(unreachable_pub)] // as a library of its own it is reached
mod border;

use border::{takewise_alloc, takewise_answer, takewise_free};

/// What a request is answered.
fn ask(request: &[u8]) -> String {
    let at = takewise_alloc(request.len());
    assert!(!at.is_null());
    // SAFETY: there is room for the request, which is written before it is read; the answer begins with its length and is handed
    // back with it, and both pieces once.
    unsafe {
        std::ptr::copy_nonoverlapping(request.as_ptr(), at, request.len());
        let answer = takewise_answer(at, request.len());
        takewise_free(at, request.len());
        assert!(!answer.is_null());
        let length = u32::from_le(answer.cast::<u32>().read()) as usize;
        let text = std::slice::from_raw_parts(answer.add(4), length).to_vec();
        takewise_free(answer, length + 4);
        String::from_utf8(text).unwrap()
    }
}

#[test]
fn a_request_is_answered_as_the_engine_answers() {
    let request = r#"{"want": "explanation", "expression": "torch.tensor([5, 6])[1]", "dialect": "torch"}"#;
    let answered = ask(request.as_bytes());
    assert_eq!(answered, takewise_page::answer(request));
    assert!(answered.contains(r#""printed":"tensor(6)""#), "{answered}");
}

#[test]
fn what_is_no_text_is_refused() {
    assert!(ask(&[0xff, 0xfe]).contains("the request is not UTF-8"));
    assert!(ask(b"").contains("the request is not understood"));
}
