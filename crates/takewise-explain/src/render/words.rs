//! The words of every drawing, in each language: one table, so that none says less in one language than in the other.
//!
//! `{name}` stands for what is filled in. `{name?one:many}` chooses by a number.

use std::fmt::{Display, Write};

/// The language of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// The tag of the language in SVG and HTML.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    pub(super) fn words(self) -> &'static Words {
        match self {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
        }
    }
}

/// Every word and sentence by its key, as the drawings hold them: `{name}` is filled in, and `{n?one:many}` chooses by a number.
///
/// A page that draws explanations itself shares its vocabulary with these drawings by this table.
///
/// ```
/// use takewise_explain::render::{Language, vocabulary};
///
/// let words = vocabulary(Language::English);
/// assert!(words.iter().any(|(key, text)| *key == "result" && *text == "result"));
/// assert_eq!(words.len(), vocabulary(Language::Chinese).len());
/// ```
pub fn vocabulary(language: Language) -> Vec<(&'static str, &'static str)> {
    language.words().all()
}

/// A template with its names filled in. What is filled in is not looked at again.
pub(super) fn fill(template: &str, names: &[(&str, &dyn Display)]) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}') else { break };
        out.push_str(&rest[..open]);
        let inner = &rest[open + 1..open + close];
        rest = &rest[open + close + 1..];
        let (name, choice) =
            inner.split_once('?').map_or((inner, None), |(name, choice)| (name, choice.split_once(':')));
        let found = names.iter().find(|(known, _)| *known == name);
        debug_assert!(found.is_some(), "no {name} for {template:?}");
        let Some((_, value)) = found else { continue };
        match choice {
            Some((one, _)) if value.to_string() == "1" => out.push_str(one),
            Some((_, many)) => out.push_str(many),
            None => {
                let _ = write!(out, "{value}");
            }
        }
    }
    out.push_str(rest);
    out
}

macro_rules! words {
    ($($key:ident: $english:literal, $chinese:literal;)*) => {
        /// The words of one language.
        pub(super) struct Words {
            pub(super) language: Language,
            $(pub(super) $key: &'static str,)*
        }

        const ENGLISH: Words = Words { language: Language::English, $($key: $english,)* };
        const CHINESE: Words = Words { language: Language::Chinese, $($key: $chinese,)* };

        impl Words {
            fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($key), self.$key),)*]
            }
        }
    };
}

words! {
    // What happens, in one sentence.
    fails: "The call fails: {class}.", "调用失败：{class}。";
    fails_bare: "The call fails.", "调用失败。";
    fails_whole: "Nothing has been changed.", "没有任何内容被修改。";
    reads: "The result is made of elements of {data}.", "结果由 {data} 的元素组成。";
    reads_index: "Each element of the result is read from {data}, at the position that {index} {n?names:name}.",
        "结果的每个元素都取自 {data}，位置由 {index} 指定。";
    reads_along: "Each element of the result is read from {data}: {index} {n?says:say} which position along axis {axis}.",
        "结果的每个元素都取自 {data}：{index} 给出沿轴 {axis} 的位置。";
    reads_mask: "The result holds the elements of {data} at the places where {mask} is true, in order.",
        "结果按顺序保存 {data} 中 {mask} 为真的位置上的元素。";
    writes_copy: "The result is a copy of {data}. {verb}", "结果是 {data} 的副本。{verb}";
    writes_place: "{data} is changed in place. {verb}", "{data} 被原地修改。{verb}";
    stores: "The values of {values} are stored at the places that {index} {n?names:name}.",
        "{values} 的值被存到 {index} 指定的位置。";
    stores_last: "The values of {values} are stored at the places that {index} {n?names:name}; where several meet, the last one stays.",
        "{values} 的值被存到 {index} 指定的位置；多个值落在同一位置时，保留最后一个。";
    stores_first: "The values of {values} are stored at the places that {index} {n?names:name}; where several meet, the first one stays.",
        "{values} 的值被存到 {index} 指定的位置；多个值落在同一位置时，保留第一个。";
    stores_sum: "The values of {values} are added at the places that {index} {n?names:name}; values that meet are summed in order.",
        "{values} 的值被加到 {index} 指定的位置；落在同一位置的值按顺序求和。";
    stores_prod: "The values of {values} are multiplied in at the places that {index} {n?names:name}.",
        "{values} 的值被乘到 {index} 指定的位置。";
    stores_div: "The values of {values} divide what is at the places that {index} {n?names:name}.",
        "{index} 指定的位置上的值被 {values} 的值相除。";
    stores_max: "The values of {values} come to the places that {index} {n?names:name}; the greatest at each place stays.",
        "{values} 的值来到 {index} 指定的位置；每个位置保留最大值。";
    stores_min: "The values of {values} come to the places that {index} {n?names:name}; the least at each place stays.",
        "{values} 的值来到 {index} 指定的位置；每个位置保留最小值。";
    stores_mean: "The values of {values} come to the places that {index} {n?names:name}; each place holds their mean.",
        "{values} 的值来到 {index} 指定的位置；每个位置取平均值。";
    stores_mask: "The values of {values} are stored, in order, at the places where {index} {n?is:are} true.",
        "{values} 的值按顺序存到 {index} 为真的位置。";
    stores_number: "A number is stored at the places that {index} {n?names:name}.", "一个数被存到 {index} 指定的位置。";
    sums_number: "A number is added at the places that {index} {n?names:name}, once for each time a place is named.",
        "一个数被加到 {index} 指定的位置，每指定一次就加一次。";
    the_value: "the call", "该调用";
    the_key: "the subscript", "下标";
    views: "The result is a view of {data}: it shares its memory, and nothing is moved.",
        "结果是 {data} 的视图：与它共享内存，不移动任何元素。";
    searches: "For each value of {values}, the result says before which position of {sequence} it would go to keep the order.",
        "对 {values} 的每个值，结果给出把它插入 {sequence} 并保持有序的位置。";
    sorts: "The elements of {data} are put in order.", "{data} 的元素被排序。";
    counts: "The places of {data} that are not zero are found, in order.", "按顺序找出 {data} 中不为零的位置。";
    flows_back: "Gradients flow back from the result to the elements it was made of.", "梯度从结果流回组成它的元素。";
    only_value: "Nothing is indexed: the result is a value.", "没有索引操作：结果是一个值。";
    and: " and ", " 和 ";
    comma: ", ", "、";

    // Headings and single words.
    operands: "Operands", "操作数";
    result: "result", "结果";
    before: "before", "之前";
    axes: "Axes of {name}", "{name} 的各个轴";
    elements: "Elements", "元素";
    left_out: "Left out", "被略去的";
    masks: "Masks", "掩码";
    found: "Searches", "查找";
    gradients: "Gradients", "梯度";
    error: "Error", "错误";
    plan: "Plan", "执行计划";
    element: "element", "位置";
    value: "value", "值";
    from: "comes from", "来自";
    because: "because", "原因";
    fill: "fill value", "填充值";
    scalar: "the number of the call", "调用中的数值";
    stays: "stays", "保留";
    replaced: "replaced", "被覆盖";
    not_used: "not used", "未采用";
    added: "added", "相加";
    factor_of: "{times} of {names}", "{times} 出自 {names}";
    was_there: "was there", "原有";
    same: "as before", "不变";
    empty: "(no elements)", "（没有元素）";
    not_shown: "(values are not shown)", "（不显示值）";
    and_more: "and {n} more", "另有 {n} 项";
    more_columns: "… {n} more {n?column:columns}", "…… 另有 {n} 列";
    more_rows: "… {n} more {n?row:rows}", "…… 另有 {n} 行";
    more_panels: "… {n} more {n?table:tables}", "…… 另有 {n} 个表";

    // Roles, and whose memory a result is.
    role_data: "data", "数据";
    role_index: "index", "索引";
    role_mask: "mask", "掩码";
    role_values: "values", "值";
    role_sequence: "sorted sequence", "有序序列";
    role_sorter: "order of the sequence", "序列的顺序";
    fresh: "fresh memory", "新内存";
    view_of: "a view of {name}", "{name} 的视图";
    in_place: "written into {name}", "写入 {name}";

    // Where an axis comes from.
    axis: "axis {axis}", "轴 {axis}";
    axis_of: "axis {axis} of {name}", "{name} 的轴 {axis}";
    axis_step: "axis {axis} of {name}, every step {step}", "{name} 的轴 {axis}，步长 {step}";
    axis_back: "axis {axis} of {name}, backwards", "{name} 的轴 {axis}，逆序";
    axis_index: "axis {axis} of {names}, whose values choose along {n?axis:axes} {along} of the data",
        "{names} 的轴 {axis}，其值沿数据的轴 {along} 选取";
    axis_index_flat: "axis {axis} of {names}, whose values are positions in the flat data",
        "{names} 的轴 {axis}，其值是展平后数据中的位置";
    axis_mask: "the places where {name} is true, along {n?axis:axes} {along} of the data", "{name} 为真的位置，沿数据的轴 {along}";
    axis_mask_flat: "the places where {name} is true", "{name} 为真的位置";
    axis_new: "new, of size 1", "新轴，长度 1";
    axis_made: "new", "新轴";
    axis_repeated: "one element repeated", "同一元素重复";
    axis_coordinates: "coordinates, one for each axis of the data", "坐标，对应数据的每个轴";

    // What becomes of the sources.
    taken_as: "{by}, that is {at}", "{by}，即 {at}";
    outside_as: "{by} lies outside: {at} is taken", "{by} 超出范围：改用 {at}";
    the_sum: "sum", "求和";
    the_product: "product", "乘积";
    the_quotient: "quotient", "商";
    the_max: "greatest", "最大值";
    the_min: "least", "最小值";
    the_mean: "mean", "平均值";
    the_last: "the last one stays", "保留最后一个";
    the_first: "the first one stays", "保留第一个";
    outside: "its index value lies outside, and the rule drops it", "索引值超出范围，按规则丢弃";
    not_selected: "the mask does not select it", "掩码没有选中它";
    left_line: "{source}: {why}", "{source}：{why}";
    reads_nothing: "{by} lies outside: nothing is read", "{by} 超出范围：不读取任何元素";
    selects: "{name} is true at {n} of {of} places", "{name} 在 {of} 个位置中有 {n} 个为真";
    at_places: "{name} is true at {n} of {of} places: {places}", "{name} 在 {of} 个位置中有 {n} 个为真：{places}";
    gradient_of: "the gradient of {place} is that of {sources}", "{place} 的梯度是 {sources} 的梯度";
    gradient_sum: "the gradient of {place} is the sum of those of {sources}", "{place} 的梯度是 {sources} 的梯度之和";

    // Searches.
    search_line: "{value}: {found} of {length} come before it, {interval}", "{value}：{length} 个中有 {found} 个在它之前，{interval}";
    compared_with: "compared with {list}", "依次比较：{list}";
    before_all: "it is before all: {chain}", "它在全部元素之前：{chain}";
    after_all: "it is after all: {chain}", "它在全部元素之后：{chain}";
    between: "because {chain}", "因为 {chain}";
    in_empty: "the sequence is empty", "序列为空";
    goes_after: "{element}: after", "{element}：在其后";
    goes_before: "{element}: not after", "{element}：不在其后";

    // Errors.
    bad_value: "{place} is {value}, but axis {axis} has size {size}: its positions are 0 to {high}",
        "{place} 的值为 {value}，但轴 {axis} 的长度是 {size}：位置只有 0 到 {high}";
    bad_empty: "{place} is {value}, but axis {axis} has size 0: no position is allowed",
        "{place} 的值为 {value}，但轴 {axis} 的长度是 0：不允许任何位置";
    bad_value_only: "{place} is {value}", "{place} 的值为 {value}";
    bad_count: "{n} index {n?value is:values are} bad", "共有 {n} 个索引值无效";
    bad_places: "{n} index {n?value is:values are} bad: {places}", "共有 {n} 个索引值无效：{places}";

    // Marks of a picture.
    letters: "Elements of one letter and colour belong together.", "字母和颜色相同的元素彼此对应。";
    mark_bad: "bad index value", "无效的索引值";
    mark_filled: "fill value", "填充值";
    mark_dropped: "not kept", "未保留";
    mark_ticked: "selected by the mask", "被掩码选中";
    mark_met: "number of values that meet", "落在此处的值的个数";
    meeting: "Where values meet, in order", "多个值相遇之处（按顺序）";
    drawn_part: "{name}: {shown} of {of} elements are drawn.", "{name}：共 {of} 个元素，画出 {shown} 个。";
    hint: "Point at an element, or move with the arrow keys, to see what belongs to it.", "指向一个元素，或用方向键移动，查看与它对应的元素。";
    as_json: "As JSON", "JSON 数据";
    json_long: "It is too long for this page.", "数据太长，无法放入本页。";
    copy: "Copy", "复制";
    copied: "Copied", "已复制";

    // The plan.
    verb_read: "read", "读取";
    verb_write: "write", "写入";
    verb_accumulate: "sum into places", "累加";
    verb_search: "search", "查找";
    verb_sort: "sort", "排序";
    verb_count: "count", "计数";
    verb_convert: "convert", "转换";
    verb_compare: "compare", "比较";
    strategy: "strategy: {name}, because {reason}", "策略：{name}，因为 {reason}";
    strategy_bare: "strategy: {name}", "策略：{name}";
    within: "within it: {name}, because {reason}", "其中：{name}，因为 {reason}";
    promise: "promise: {promise}", "保证：{promise}";
    bytes: "Reads at least {read}, writes at least {written}.", "至少读取 {read}，写入 {written}。";
    bytes_files: "Reads at least {read} in {n} {n?request:requests} to files, writes at least {written}.",
        "至少读取 {read}（对文件 {n} 次请求），写入 {written}。";
    bytes_none: "Nothing is read and nothing is written.", "不读取也不写入任何数据。";
    sampled: "A sample: {shown} of {of} elements are listed.", "抽样：共 {of} 个元素，列出 {shown} 个。";

    // Comparisons.
    all_fail: "All of them fail.", "它们都失败。";
    all_same: "All results are the same.", "所有结果都相同。";
    differ: "{n} {n?place differs:places differ}, marked.", "有 {n} 处不同，已标出。";
    shapes_differ: "The results have different shapes.", "各结果的形状不同。";
    some_fail: "Some of them fail.", "其中有的调用失败。";
    shape: "shape", "形状";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The names a template is filled with.
    fn names(template: &str) -> BTreeSet<&str> {
        let inner = template.split('{').skip(1).map(|part| part.split('}').next().unwrap());
        inner.map(|part| part.split('?').next().unwrap()).collect()
    }

    #[test]
    fn both_languages_say_the_same() {
        for ((key, english), (_, chinese)) in
            vocabulary(Language::English).into_iter().zip(vocabulary(Language::Chinese))
        {
            let (mut a, b) = (names(english), names(chinese));
            // Chinese has no plural.
            if !english.replace("{n?", "").contains("{n}") && !b.contains("n") {
                a.remove("n");
            }
            assert_eq!(a, b, "{key}");
            assert!(!english.is_empty() && !chinese.is_empty(), "{key}");
        }
    }

    #[test]
    fn fills_names_once() {
        assert_eq!(fill("{a} {n?value:values} {b}", &[("a", &"{b}"), ("n", &1), ("b", &"x")]), "{b} value x");
        assert_eq!(fill("{n?value:values} {", &[("n", &2)]), "values {");
    }
}
