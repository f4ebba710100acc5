//! Plans in words. Why a strategy was taken and how the promise was kept the engine says in English; drawings say it in their
//! language.

use super::places::{clean, clean_to};
use super::words::{Language, Words, fill};
use crate::data::Planned;

/// What the engine says, and the same in Chinese.
const CHINESE: &[(&str, &str)] = &[
    // Strategies.
    ("there is no element to move", "没有要移动的元素"),
    (
        "at most 32 positions: all are resolved and checked on the stack, then moved",
        "至多 32 个位置：全部在栈上解析并检查，然后移动",
    ),
    (
        "a mask over elements side by side: whole words of it pack, spread or fill them, without a list of positions",
        "掩码覆盖连续存放的元素：以整字为单位压缩、展开或填充，不需要位置列表",
    ),
    (
        "places start anew and nothing else is special: the identity is stored first, then values are combined in place",
        "目标位置从头开始，且没有其他特殊要求：先写入单位元，再把值原地合并",
    ),
    (
        "all contributions of a place are needed at once and places lie close: each has a counter, and a sum where needed",
        "需要一次得到某个位置的全部贡献，且各位置相距很近：每个位置有一个计数器，必要时还有一个和",
    ),
    (
        "all contributions of a place are needed at once and places lie far apart: positions are sorted by place",
        "需要一次得到某个位置的全部贡献，且各位置相距很远：先把索引按目标位置排序",
    ),
    (
        "few places that many positions name: each place is told its last position, and gets that value",
        "很多索引指向少数几个位置：每个位置记下最后一个索引，只取它的值",
    ),
    (
        "a small destination and many indices that may be bad: the write goes into a copy, which is put back if all were good",
        "目标很小，而可能无效的索引很多：先写入副本，全部有效时再放回",
    ),
    (
        "an axis that is not the last, and rows far apart: strips of columns are packed where the cache holds them",
        "所沿的不是最后一个轴，且各行相距很远：把若干列打包成缓存放得下的条带",
    ),
    (
        "writes that jump about in a destination beyond the caches: positions are sorted into buckets of near places first",
        "写入在超出缓存的目标中到处跳跃：先把索引分到位置相近的桶里",
    ),
    (
        "one index axis and long rows of elements: each index value is checked and written by in one pass",
        "只有一个索引轴，且每行元素很长：每个索引值检查后随即写入，一遍完成",
    ),
    (
        "one index axis and long rows of whole chunks: blocks of 64 stay in registers, the next one is resolved ahead",
        "只有一个索引轴，且每行由整块组成：每 64 个一组留在寄存器中，并提前解析下一组",
    ),
    (
        "nothing is indexed and the sides run along different axes: square blocks are turned in registers",
        "没有索引，两侧沿不同的轴行进：在寄存器中转置方块",
    ),
    (
        "one or two index axes and a contiguous result: each index value is checked and read by in one pass",
        "一个或两个索引轴，且结果连续：每个索引值检查后随即读取，一遍完成",
    ),
    (
        "one list of offsets serves many rows: it is resolved once, a tile at a time",
        "同一列偏移量供很多行使用：逐块解析，只解析一次",
    ),
    (
        "any other plan: blocks of offsets, served lane by lane or position by position",
        "其他任何计划：按块处理偏移量，逐行或逐个位置执行",
    ),
    (
        "a mapped file of which few pages are touched: what is in memory is copied; else the bytes are asked for at once, in the order in which they lie there",
        "映射的文件中只触及少数几页：按它们在文件中的顺序一并读取这些字节",
    ),
    // Promises.
    ("nothing is stored", "不存储任何内容"),
    (
        "a look at every index value first, and at every place that two of them name",
        "先检查每一个索引值，以及被两个索引同时指向的每个位置",
    ),
    ("no index value can be bad here", "这里不可能有无效的索引值"),
    ("the strategy meets every index value before it stores", "该策略在存储之前就会遇到每一个索引值"),
    ("the result is seen only if every index value was good", "只有每个索引值都有效，结果才会被看到"),
    ("a look at every index value first", "先检查每一个索引值"),
];

/// What the engine says of a strategy or a promise, in the words of a language; as it is where there is no other word for it.
///
/// ```
/// use takewise::strategy::Strategy;
/// use takewise_explain::render::{Language, reason};
///
/// assert!(reason(Strategy::Small.reason(), Language::Chinese).starts_with("至多 32 个位置"));
/// assert_eq!(reason("a guess", Language::Chinese), "a guess");
/// ```
pub fn reason(said: &str, language: Language) -> &str {
    match language {
        Language::English => said,
        Language::Chinese => CHINESE.iter().find(|(known, _)| *known == said).map_or(said, |(_, chinese)| chinese),
    }
}

/// What a plan does, its strategies with their reasons, its promise.
pub(super) fn plan(plan: &Planned, w: &Words) -> Vec<String> {
    let verb = match &*plan.verb {
        "read" => w.verb_read.to_owned(),
        "write" => w.verb_write.to_owned(),
        "accumulate" => w.verb_accumulate.to_owned(),
        "search" => w.verb_search.to_owned(),
        "sort" => w.verb_sort.to_owned(),
        "count" => w.verb_count.to_owned(),
        "convert" => w.verb_convert.to_owned(),
        "compare" => w.verb_compare.to_owned(),
        other => clean(other),
    };
    let mut out = vec![verb];
    for (k, strategy) in plan.strategies.iter().take(16).enumerate() {
        let (name, why) = (clean(&strategy.name), clean_to(reason(&strategy.reason, w.language), 400));
        let template = match (k, why.is_empty()) {
            (_, true) => w.strategy_bare,
            (0, _) => w.strategy,
            _ => w.within,
        };
        out.push(fill(template, &[("name", &name), ("reason", &why)]));
    }
    if !plan.promise.is_empty() {
        out.push(fill(w.promise, &[("promise", &clean_to(reason(&plan.promise, w.language), 400))]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use takewise::strategy::{PROMISES, Strategy};

    #[test]
    fn everything_the_engine_says_has_its_chinese() {
        let strategies = Strategy::ALL.iter().chain([&Strategy::Nothing]).map(|s| s.reason());
        let all: Vec<&str> = strategies.chain(PROMISES).collect();
        for said in &all {
            let chinese = reason(said, Language::Chinese);
            assert!(chinese.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "no Chinese for: {said}");
            assert_eq!(reason(said, Language::English), *said);
        }
        for (known, _) in CHINESE {
            assert!(all.contains(known), "nobody says: {known}");
        }
    }
}
