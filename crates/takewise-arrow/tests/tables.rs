//! What is written is read back, column by column and as one array; what is no array of numbers is refused by name.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, StringBuilder};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeBinaryArray, Float64Array, Int16Array,
    Int64Array, LargeStringArray, ListArray, NullArray, RecordBatch, StringArray, StringViewArray, StructArray,
    Time32SecondArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use takewise::{AnyViewMut, DType, Rules, Tensor};
use takewise_arrow::{Format, Table, write};
use tempfile::TempDir;

const FORMATS: [Format; 3] = [Format::Parquet, Format::Arrow, Format::ArrowStream];

fn path(dir: &TempDir) -> PathBuf {
    dir.path().join("table")
}

fn saved(dir: &TempDir, format: Format, columns: &[(&str, &Tensor)], rows: usize) -> Table {
    write(File::create(path(dir)).unwrap(), format, columns, rows).unwrap();
    Table::open(path(dir)).unwrap()
}

/// Rows of a batch, several times, in one file.
fn batches(at: &Path, format: Format, columns: Vec<(&str, ArrayRef)>, times: usize) -> Table {
    let fields = columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, array)| array).collect()).unwrap();
    let file = File::create(at).unwrap();
    match format {
        Format::Parquet => {
            let mut writer = ArrowWriter::try_new(file, schema, None).unwrap();
            (0..times).for_each(|_| {
                writer.write(&batch).unwrap();
                writer.flush().unwrap(); // a row group of its own
            });
            writer.close().unwrap();
        }
        Format::Arrow => {
            let mut writer = FileWriter::try_new(file, &schema).unwrap();
            (0..times).for_each(|_| writer.write(&batch).unwrap());
            writer.finish().unwrap();
        }
        Format::ArrowStream => {
            let mut writer = StreamWriter::try_new(file, &schema).unwrap();
            (0..times).for_each(|_| writer.write(&batch).unwrap());
            writer.finish().unwrap();
        }
    }
    Table::open(at).unwrap()
}

fn refused(columns: Vec<(&str, ArrayRef)>, chosen: &[usize]) -> String {
    let dir = TempDir::new().unwrap();
    let told = FORMATS.map(|format| {
        let told = batches(&path(&dir), format, columns.clone(), 1).tensor(chosen).unwrap_err();
        told.to_string()
    });
    assert!(told.iter().all(|t| *t == told[0]), "{told:?}");
    told[0].clone()
}

#[test]
fn every_dtype_comes_back() {
    let dir = TempDir::new().unwrap();
    let whole = Tensor::arange(-3, 4, 1, Some(DType::I64)).unwrap();
    let known = [
        DType::Bool,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F16,
        DType::F32,
        DType::F64,
    ];
    for format in FORMATS {
        for dtype in known {
            let x = whole.to(dtype).unwrap();
            let table = saved(&dir, format, &[("x", &x)], 7);
            let back = table.tensor(&[0]).unwrap();
            let told = (table.format(), table.rows(), table.columns()[0].dtype(), back.dtype(), back.shape().to_vec());
            assert_eq!(told, (format, 7, Some(dtype), dtype, vec![7]));
            // Compared as 64-bit patterns of whole numbers, which every dtype here holds.
            assert_eq!(
                back.to(DType::F64).unwrap().to_vec::<f64>().unwrap(),
                x.to(DType::F64).unwrap().to_vec::<f64>().unwrap(),
                "{dtype:?}"
            );
        }
    }
}

#[test]
fn the_ends_of_each_dtype_come_back() {
    let dir = TempDir::new().unwrap();
    let ints = Tensor::from_vec(vec![i64::MIN, i64::MAX, 0], &[3]).unwrap();
    let naturals = Tensor::from_vec(vec![0, u64::MAX, 1 << 63], &[3]).unwrap();
    let floats = Tensor::from_vec(vec![f64::NAN, -0.0, f64::NEG_INFINITY], &[3]).unwrap();
    for format in FORMATS {
        let table = saved(&dir, format, &[("i", &ints), ("n", &naturals), ("x", &floats)], 3);
        assert_eq!(table.tensor(&[0]).unwrap().to_vec::<i64>().unwrap(), ints.to_vec::<i64>().unwrap());
        assert_eq!(table.tensor(&[1]).unwrap().to_vec::<u64>().unwrap(), naturals.to_vec::<u64>().unwrap());
        let bits = |x: &Tensor| x.to_vec::<f64>().unwrap().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&table.tensor(&[2]).unwrap()), bits(&floats));
    }
}

#[test]
fn several_columns_are_one_array() {
    let dir = TempDir::new().unwrap();
    let a = Tensor::from_vec(vec![1i8, 2, 3], &[3]).unwrap();
    let b = Tensor::from_vec(vec![10i16, 20, 30], &[3]).unwrap();
    let c = Tensor::from_vec(vec![0.5f32, 1.5, 2.5], &[3]).unwrap();
    let t = Tensor::from_vec(vec![true, false, true], &[3]).unwrap();
    for format in FORMATS {
        let table = saved(&dir, format, &[("a", &a), ("b", &b), ("c", &c), ("t", &t)], 3);
        let of = |chosen: &[usize]| table.tensor(chosen).unwrap();
        assert_eq!((of(&[0, 1]).dtype(), of(&[0, 1]).shape()), (DType::I16, &[3, 2][..]));
        assert_eq!(of(&[2, 0, 2]).to_vec::<f32>().unwrap(), [0.5, 1.0, 0.5, 1.5, 2.0, 1.5, 2.5, 3.0, 2.5]);
        assert_eq!(of(&[3, 3]).to_vec::<bool>().unwrap(), [true, true, false, false, true, true]);
        assert!(table.tensor(&[0, 3]).unwrap_err().to_string().contains("truth values and of numbers"));
        assert_eq!(table.tensor(&[4]).unwrap_err().to_string(), "has no column 4");
        assert_eq!((of(&[]).shape(), of(&[]).dtype()), (&[3, 0][..], DType::I64));
    }
}

#[test]
fn nothing_is_rounded() {
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![1, (1 << 53) + 1]));
    let natural: ArrayRef = Arc::new(UInt64Array::from(vec![1, 1 << 63]));
    let float: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 1.5]));
    let told = refused(vec![("i", whole.clone()), ("x", float.clone())], &[0, 1]);
    let wanted = "column 'i', row 1: 9007199254740993 is no float64, in which columns of int64 and float64 meet; choose columns of one \
                  dtype with '#name'";
    assert_eq!(told, wanted);
    let told = refused(vec![("n", natural.clone()), ("i", whole)], &[0, 1]);
    assert!(told.starts_with("column 'i', row 1: 9007199254740993 is no float64"), "{told}");
    // What the common dtype holds is there.
    let dir = TempDir::new().unwrap();
    let table = batches(&path(&dir), Format::Parquet, vec![("n", natural), ("x", float)], 1);
    assert_eq!(table.tensor(&[0, 1]).unwrap().to_vec::<f64>().unwrap(), [1.0, 0.5, 9_223_372_036_854_775_808.0, 1.5]);
}

#[test]
fn batches_and_row_groups_follow_each_other() {
    let dir = TempDir::new().unwrap();
    for format in FORMATS {
        let columns = vec![
            ("i", Arc::new(Int16Array::from(vec![1, 2, 3])) as ArrayRef),
            ("b", Arc::new(BooleanArray::from(vec![true, false, false])) as ArrayRef),
        ];
        let table = batches(&path(&dir), format, columns, 4);
        assert_eq!(table.rows(), 12);
        assert_eq!(table.tensor(&[0]).unwrap().to_vec::<i16>().unwrap(), [1, 2, 3].repeat(4));
        assert_eq!(table.tensor(&[1]).unwrap().to_vec::<bool>().unwrap(), [true, false, false].repeat(4));
    }
}

#[test]
fn dictionaries_are_decoded_and_lists_of_one_length_are_rows() {
    let dir = TempDir::new().unwrap();
    let values = Arc::new(Float64Array::from(vec![0.5, 2.5]));
    let coded = DictionaryArray::<Int8Type>::new(vec![1i8, 0, 1].into(), values);
    let mut list = FixedSizeListBuilder::new(Float32Builder::new(), 2);
    for x in [1.0f32, 2.0, 3.0] {
        list.values().append_slice(&[x, -x]);
        list.append(true);
    }
    let columns = vec![("d", Arc::new(coded) as ArrayRef), ("v", Arc::new(list.finish()) as ArrayRef)];
    for format in FORMATS {
        let table = batches(&path(&dir), format, columns.clone(), 2);
        let types: Vec<&str> = table.columns().iter().map(|c| c.type_name()).collect();
        assert_eq!(types, ["float64", "float32 [2]"]);
        assert_eq!(table.tensor(&[0]).unwrap().to_vec::<f64>().unwrap(), [2.5, 0.5, 2.5, 2.5, 0.5, 2.5]);
        let rows = table.tensor(&[1]).unwrap();
        assert_eq!(rows.shape(), [6, 2]);
        assert_eq!(rows.to_vec::<f32>().unwrap()[2..6], [2.0, -2.0, 3.0, -3.0]);
        let told = table.tensor(&[0, 1]).unwrap_err().to_string();
        assert_eq!(told, "column 'v' holds [2] numbers a row: choose it alone with '#v'");
    }
}

#[test]
fn nulls_are_counted() {
    let of = |array: ArrayRef| refused(vec![("a", array)], &[0]);
    let some = Arc::new(Int64Array::from(vec![Some(1), None, Some(3), None]));
    assert_eq!(
        of(some),
        "column 'a' has nulls in 2 rows, the first is row 1: fill them before the file is written (`fill_null` in polars and pyarrow), or leave \
         those rows out"
    );
    assert!(
        of(Arc::new(BooleanArray::from(vec![None, Some(true)]))).contains("has nulls in 1 row, the first is row 0")
    );
    let mut coded = DictionaryArray::<Int32Type>::new(vec![Some(0), None].into(), Arc::new(Int64Array::from(vec![7])));
    assert!(of(Arc::new(coded.clone())).contains("nulls in 1 row, the first is row 1"));
    coded = DictionaryArray::new(vec![1, 0].into(), Arc::new(Int64Array::from(vec![Some(7), None])));
    assert!(of(Arc::new(coded)).contains("nulls in 1 row, the first is row 0"));
    let mut list = FixedSizeListBuilder::new(Float32Builder::new(), 2);
    list.values().append_slice(&[1.0, 2.0]);
    list.append(true);
    list.values().append_value(1.0);
    list.values().append_null();
    list.append(true);
    assert!(of(Arc::new(list.finish())).contains("nulls in 1 row, the first is row 1"));
    // A column that is not chosen may have them, and the row is that of the file.
    let dir = TempDir::new().unwrap();
    let gaps: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![5, 6]));
    for format in FORMATS {
        let table = batches(&path(&dir), format, vec![("g", gaps.clone()), ("w", whole.clone())], 2);
        assert_eq!(table.tensor(&[1]).unwrap().to_vec::<i64>().unwrap(), [5, 6, 5, 6]);
        assert!(table.tensor(&[0]).unwrap_err().to_string().contains("has nulls in 2 rows, the first is row 1"));
    }
}

#[test]
fn what_is_no_number_is_named() {
    let of = |array: ArrayRef| refused(vec![("a", array)], &[0]);
    let mut lists = FixedSizeListBuilder::new(StringBuilder::new(), 1);
    lists.values().append_value("x");
    lists.append(true);
    assert!(of(Arc::new(lists.finish())).starts_with("column 'a' holds lists of text, not numbers: write their texts"));
    let zoned = TimestampMicrosecondArray::from(vec![1]).with_timezone("+01:00");
    assert!(of(Arc::new(zoned)).contains("holds times of a zone"));
    assert!(of(Arc::new(Time32SecondArray::from(vec![1]))).contains("cast it to int64"));
    assert!(of(Arc::new(Decimal128Array::from(vec![1]))).contains("cast it to float64 or int64"));
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
    assert!(of(Arc::new(lists)).contains("lists of any length"));
    let inner: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let structs = StructArray::from(vec![(Arc::new(Field::new("x", inner.data_type().clone(), false)), inner)]);
    assert!(of(Arc::new(structs)).contains("holds structs, not numbers: write their fields as columns"));
    assert!(of(Arc::new(NullArray::new(1))).contains("nothing but nulls"));
}

#[test]
fn nothing_is_a_table_too() {
    let dir = TempDir::new().unwrap();
    let none = Tensor::from_vec(Vec::<u16>::new(), &[0]).unwrap();
    for format in FORMATS {
        let table = saved(&dir, format, &[("a", &none), ("b", &none)], 0);
        let read = table.tensor(&[0, 1]).unwrap();
        assert_eq!((table.rows(), read.shape(), read.dtype()), (0, &[0, 2][..], DType::U16));
        assert_eq!(table.tensor(&[1]).unwrap().shape(), [0]);
    }
    let table = saved(&dir, Format::Arrow, &[], 3);
    assert_eq!((table.rows(), table.columns().len(), table.tensor(&[]).unwrap().shape()), (3, 0, &[3, 0][..]));
    let told = write(Vec::new(), Format::Parquet, &[], 3).unwrap_err().to_string();
    assert!(told.contains("without columns has no rows, and this has 3"), "{told}");
}

#[test]
fn every_codec_and_both_kinds_of_pages() {
    let dir = TempDir::new().unwrap();
    let wanted: Vec<f64> = (0..5000).map(|k| f64::from(k % 100) / 4.0).collect();
    let array: ArrayRef = Arc::new(Float64Array::from(wanted.clone()));
    let schema = Arc::new(Schema::new(vec![Field::new("x", array.data_type().clone(), false)]));
    let batch = RecordBatch::try_new(schema.clone(), vec![array]).unwrap();
    let read = || Table::open(path(&dir)).unwrap().tensor(&[0]).unwrap().to_vec::<f64>().unwrap();
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for dictionary in [false, true] {
                let how = WriterProperties::builder().set_compression(codec).set_writer_version(version);
                let how = how.set_dictionary_enabled(dictionary).set_data_page_row_count_limit(700).build();
                let mut writer =
                    ArrowWriter::try_new(File::create(path(&dir)).unwrap(), schema.clone(), Some(how)).unwrap();
                writer.write(&batch).unwrap();
                writer.close().unwrap();
                assert_eq!(read(), wanted, "{codec:?}");
            }
        }
    }
    for codec in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let how = IpcWriteOptions::default().try_with_compression(codec).unwrap();
        let file = File::create(path(&dir)).unwrap();
        let mut writer = FileWriter::try_new_with_options(file, &schema, how.clone()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        assert_eq!(read(), wanted, "{codec:?}");
        let mut writer = StreamWriter::try_new_with_options(File::create(path(&dir)).unwrap(), &schema, how).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        assert_eq!(read(), wanted, "{codec:?}");
    }
}

#[test]
fn what_cannot_be_written_is_named_and_leaves_nothing() {
    let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2]).unwrap();
    for (dtype, cure) in
        [(DType::BF16, "convert it to float32"), (DType::C64, "real and imaginary"), (DType::F32.swapped(), "")]
    {
        let mut out = Vec::new();
        let told =
            write(&mut out, Format::Parquet, &[("ok", &x), ("x", &x.to(dtype).unwrap())], 2).unwrap_err().to_string();
        assert!(told.starts_with("column 'x': Parquet has no ") && told.contains(cure), "{told}");
        assert!(out.is_empty());
    }
    let told = write(Vec::new(), Format::Arrow, &[("x", &x)], 3).unwrap_err().to_string();
    assert_eq!(told, "column 'x' has shape [2], not [3]");
}

/// One of each kind of file, small enough to be spoiled at each of its bytes.
fn small(dir: &TempDir) -> Vec<Vec<u8>> {
    let coded = DictionaryArray::<Int8Type>::new(vec![1i8, 0, 1].into(), Arc::new(Float64Array::from(vec![0.5, 2.5])));
    let names = DictionaryArray::<Int8Type>::from_iter(["a", "a long name, not in line", "a"]);
    let numbers: [(&str, ArrayRef); 2] = [("i", Arc::new(Int16Array::from(vec![1, 2, 3]))), ("d", Arc::new(coded))];
    let views = StringViewArray::from(vec!["b", "another long name", ""]);
    let texts: [(&str, ArrayRef); 2] = [("s", Arc::new(names)), ("v", Arc::new(views))];
    let mut files: Vec<Vec<u8>> = Vec::new();
    for (columns, format) in [numbers, texts].iter().flat_map(|columns| FORMATS.map(|format| (columns, format))) {
        batches(&path(dir), format, columns.to_vec(), 2);
        files.push(fs::read(path(dir)).unwrap());
    }
    // Compressed messages too.
    let array: ArrayRef = Arc::new(Int64Array::from(vec![7; 64]));
    let schema = Arc::new(Schema::new(vec![Field::new("x", array.data_type().clone(), true)]));
    let how = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME)).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, how).unwrap();
    writer.write(&RecordBatch::try_new(schema, vec![array]).unwrap()).unwrap();
    files.push(writer.into_inner().unwrap());
    files
}

fn read_all(at: &Path) -> Result<(), takewise_arrow::Error> {
    let table = Table::open(at)?;
    (0..table.columns().len()).try_for_each(|k| table.tensor(&[k]).map(drop))
}

#[test]
fn files_cut_short_anywhere_are_refused() {
    let dir = TempDir::new().unwrap();
    for whole in small(&dir) {
        fs::write(path(&dir), &whole).unwrap();
        for length in (0..whole.len()).rev() {
            File::options().write(true).open(path(&dir)).unwrap().set_len(length as u64).unwrap();
            assert!(read_all(&path(&dir)).is_err(), "{length} of {} bytes", whole.len());
        }
        fs::write(path(&dir), &whole).unwrap();
        read_all(&path(&dir)).unwrap();
    }
}

/// A changed byte gives other numbers, or an error; no more is asked of it than that the program goes on.
#[test]
fn files_changed_anywhere_do_no_harm() {
    let dir = TempDir::new().unwrap();
    let mut refusals = 0;
    for whole in small(&dir) {
        fs::write(path(&dir), &whole).unwrap();
        let mut file = File::options().write(true).open(path(&dir)).unwrap();
        let mut put = |at: usize, byte: u8| {
            file.seek(SeekFrom::Start(at as u64)).unwrap();
            file.write_all(&[byte]).unwrap();
        };
        for (at, &right) in whole.iter().enumerate() {
            for byte in [0, 0x7f, 0x80, 0xff, right ^ 1] {
                put(at, byte);
                refusals += usize::from(read_all(&path(&dir)).is_err());
            }
            put(at, right);
        }
    }
    assert!(refusals > 1000, "{refusals}");
}

/// Lengths of which a few bytes can say anything are refused before memory is asked for them.
#[test]
fn what_a_file_says_of_its_lengths_is_not_believed() {
    let dir = TempDir::new().unwrap();
    let array: ArrayRef = Arc::new(Int64Array::from(vec![7; 77]));
    let schema = Arc::new(Schema::new(vec![Field::new("x", array.data_type().clone(), true)]));
    let batch = RecordBatch::try_new(schema.clone(), vec![array]).unwrap();
    let told = |codec: CompressionType, before: i64, after: i64| {
        let how = IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, how).unwrap();
        writer.write(&batch).unwrap();
        let mut bytes = writer.into_inner().unwrap();
        let places: Vec<usize> = (0..bytes.len() - 8).filter(|&k| bytes[k..k + 8] == before.to_le_bytes()).collect();
        assert!(!places.is_empty());
        for k in places {
            bytes[k..k + 8].copy_from_slice(&after.to_le_bytes());
        }
        fs::write(path(&dir), bytes).unwrap();
        read_all(&path(&dir)).unwrap_err().to_string()
    };
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        // The bytes of the column, before the compressed ones.
        let inflated = told(codec, 77 * 8, 1 << 60);
        assert_eq!(inflated, "cannot be decoded: a buffer says that it holds 1152921504606846976 bytes");
        // The rows of the batch.
        assert_eq!(told(codec, 77, 1 << 50), "column 'x' has 1125899906842624 values, more than memory can hold");
        assert_eq!(told(codec, 77, -1), "says that it has fewer than no rows");
    }
}

#[test]
fn what_is_no_table() {
    let dir = TempDir::new().unwrap();
    let told = |content: &[u8]| {
        fs::write(path(&dir), content).unwrap();
        Table::open(path(&dir)).err().unwrap().to_string()
    };
    assert_eq!(told(b""), "is no Parquet or Arrow file");
    assert_eq!(told(b"id,price\n1,2\n"), "is no Parquet or Arrow file");
    assert!(told(b"FEA1....").contains("Feather of the first version"));
    assert!(told(b"ARROW1\0\0").contains("cut short"));
    assert!(told(b"PAR1rubbishPAR1").contains("cannot be decoded"));
    assert_eq!(told(b"PARErubbishPARE"), "is encrypted");
    assert!(told(b"PAR1rubbish").contains("ends with PAR1"));
    assert_eq!(Table::open(dir.path()).err().unwrap().to_string(), "is a folder: give one of its files");
    assert_eq!(Table::open(dir.path().join("none")).err().unwrap().to_string(), "no such file");
}

#[test]
fn rows_are_those_of_the_whole() {
    let dir = TempDir::new().unwrap();
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..50));
    let truths: ArrayRef = Arc::new(BooleanArray::from_iter((0..50).map(|k| Some(k % 3 == 0))));
    let keys: DictionaryArray<Int8Type> = (0..50).map(|k| ["a", "b", "c"][k % 3]).collect();
    let held = DictionaryArray::new(keys.keys().clone(), Arc::new(Float64Array::from(vec![0.5, 1.5, 2.5])));
    let mut lists = FixedSizeListBuilder::new(Float32Builder::new(), 2);
    (0..50).for_each(|k| {
        lists.values().append_slice(&[k as f32, k as f32 + 0.5]);
        lists.append(true);
    });
    let gaps: ArrayRef = Arc::new(Int64Array::from_iter((0..50).map(|k| (k != 7).then_some(k))));
    let columns = || {
        let held: ArrayRef = Arc::new(held.clone());
        vec![
            ("n", numbers.clone()),
            ("t", truths.clone()),
            ("d", held),
            ("l", Arc::new(lists.finish_cloned()) as _),
            ("g", gaps.clone()),
        ]
    };
    for format in FORMATS {
        let table = batches(&path(&dir), format, columns(), 4);
        for chosen in [&[0usize][..], &[1], &[2], &[3], &[0, 2]] {
            let whole = table.tensor(chosen).unwrap();
            for rows in [&[][..], &[0], &[199], &[3, 4, 5, 49, 50, 51, 120], &(0..200).collect::<Vec<_>>()[..]] {
                let picked = table.rows_of(chosen, rows).unwrap();
                let index = Tensor::from_vec(rows.iter().map(|row| *row as i64).collect(), &[rows.len()]).unwrap();
                let wanted = whole.index_select(0, &index, &Rules::NEUTRAL).unwrap();
                assert_eq!((picked.shape(), picked.dtype()), (wanted.shape(), wanted.dtype()), "{format:?} {chosen:?}");
                let as_numbers = |x: &Tensor| x.to(DType::F64).unwrap().contiguous().unwrap().to_vec::<f64>().unwrap();
                assert_eq!(as_numbers(&picked), as_numbers(&wanted), "{format:?} {chosen:?} {rows:?}");
            }
        }
        assert_eq!(table.rows_of(&[4], &[6, 8]).unwrap().to_vec::<i64>().unwrap(), [6, 8]);
        let told = table.rows_of(&[4], &[6, 57]).unwrap_err().to_string();
        assert!(told.starts_with("column 'g' has nulls in 1 row, the first is row 57"), "{told}");
        for rows in [&[1, 1][..], &[2, 1], &[200]] {
            assert_eq!(
                table.rows_of(&[0], rows).unwrap_err().to_string(),
                "has 200 rows, and those that are read ascend"
            );
        }
    }
}

#[test]
fn pages_without_wanted_rows_are_not_read() {
    let dir = TempDir::new().unwrap();
    let schema = Arc::new(Schema::new(vec![Field::new("n", arrow_schema::DataType::Int64, false)]));
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(Int64Array::from_iter_values(0..4096))]).unwrap();
    let how = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_data_page_row_count_limit(256)
        .set_write_batch_size(256);
    let mut writer = ArrowWriter::try_new(File::create(path(&dir)).unwrap(), schema, Some(how.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    // The head of the first page is spoilt.
    let mut file = fs::OpenOptions::new().write(true).open(path(&dir)).unwrap();
    file.seek(SeekFrom::Start(4)).unwrap();
    file.write_all(&[0xff; 8]).unwrap();
    let table = Table::open(path(&dir)).unwrap();
    assert!(table.tensor(&[0]).is_err() && table.rows_of(&[0], &[3]).is_err());
    assert_eq!(table.rows_of(&[0], &[700, 4000]).unwrap().to_vec::<i64>().unwrap(), [700, 4000]);
}

#[test]
fn dates_and_bytes_keep_their_dtype() {
    let dir = TempDir::new().unwrap();
    let of = |values: &[i64], name: &str| {
        let numbers = Tensor::from_vec(values.to_vec(), &[values.len()]).unwrap();
        numbers.reinterpret(DType::foreign(name, 8).unwrap()).unwrap()
    };
    let counted = |x: &Tensor| x.reinterpret(DType::I64).unwrap().to_vec::<i64>().unwrap();
    let names =
        ["[s]", "[ms]", "[us]", "[ns]"].map(|unit| ["datetime64", "timedelta64"].map(|kind| format!("{kind}{unit}")));
    for format in FORMATS {
        for name in names.iter().flatten().map(String::as_str).chain(["datetime64[D]"]) {
            let x = of(&[5, i64::MIN, -7, 0, 12], name);
            let table = saved(&dir, format, &[("x", &x)], 5);
            let back = table.tensor(&[0]).unwrap();
            // Parquet knows no seconds, and no spans but in what Arrow writes beside.
            assert_eq!((table.columns()[0].type_name(), back.dtype().name()), (name, name), "{format:?}");
            assert_eq!(counted(&back), counted(&x), "{format:?} {name}");
            assert_eq!(counted(&table.rows_of(&[0], &[0, 1, 4]).unwrap()), [5, i64::MIN, 12]);
            assert_eq!(counted(&table.rows_of(&[0], &[2, 3]).unwrap()), [-7, 0]);
            let whole = saved(&dir, format, &[("x", &of(&[5, 6, 7, 8], name))], 4);
            assert_eq!(counted(&whole.rows_of(&[0], &[1, 3]).unwrap()), [6, 8]);
        }
        for name in ["datetime64[h]", "datetime64[25s]", "datetime64", "timedelta64[D]"] {
            let told = write(std::io::sink(), format, &[("x", &of(&[1], name))], 1).unwrap_err().to_string();
            assert!(told.ends_with("convert it to days, seconds, or thousandths of those"), "{told}");
        }
        let told =
            write(std::io::sink(), format, &[("x", &of(&[1 << 40], "datetime64[D]"))], 1).unwrap_err().to_string();
        assert_eq!(told, "column 'x' has the day 1099511627776, beyond 32 bits");
        let three: ArrayRef =
            Arc::new(FixedSizeBinaryArray::try_from_iter([b"abc", b"def", b"ghi"].into_iter()).unwrap());
        let table = batches(&path(&dir), format, vec![("b", three)], 2);
        let back = table.rows_of(&[0], &[1, 5]).unwrap();
        assert_eq!((back.dtype().name(), back.shape()), ("|V3", &[2][..]));
        let again = saved(&dir, format, &[("b", &back)], 2);
        let mut bytes = [0; 6];
        let mut out = AnyViewMut::of_elements(&mut bytes, back.dtype(), &[2]).unwrap();
        takewise::ops::copy_into(&again.tensor(&[0]).unwrap().read_any().unwrap().view(), &mut out).unwrap();
        assert_eq!(&bytes, b"defghi");
        let table =
            saved(&dir, format, &[("x", &of(&[1, 2], "datetime64[s]")), ("y", &of(&[3, 4], "datetime64[s]"))], 2);
        assert_eq!(counted(&table.tensor(&[0, 1]).unwrap().contiguous().unwrap()), [1, 3, 2, 4]);
        let mixed = saved(&dir, format, &[("x", &of(&[1], "datetime64[s]")), ("y", &of(&[3], "datetime64[ms]"))], 1);
        assert!(mixed.tensor(&[0, 1]).is_err());
    }
}

/// Texts of a tensor, and how many characters one of them takes.
fn texts(x: &Tensor) -> (Vec<String>, usize) {
    let size = x.dtype().size();
    let mut bytes = vec![0; size * x.numel()];
    let mut out = AnyViewMut::of_elements(&mut bytes, x.dtype(), x.shape()).unwrap();
    takewise::ops::copy_into(&x.read_any().unwrap().view(), &mut out).unwrap();
    let points = |text: &[u8]| text.chunks(4).map(|c| u32::from_ne_bytes(c.try_into().unwrap())).collect::<Vec<_>>();
    let letters = |text: &[u8]| points(text).into_iter().map(|c| char::from_u32(c).unwrap()).collect::<String>();
    (bytes.chunks(size).map(|text| letters(text).trim_end_matches('\0').to_owned()).collect(), size / 4)
}

#[test]
fn texts_have_the_width_of_the_longest() {
    let dir = TempDir::new().unwrap();
    let names = ["Riga", "", "Å", "the longest of these names", "Riga"];
    let plain = StringArray::from(names.to_vec());
    let keys = vec![0i8, 1, 2, 3, 0];
    let columns = || -> Vec<(&str, ArrayRef)> {
        let coded = DictionaryArray::<Int8Type>::new(keys.clone().into(), Arc::new(plain.slice(0, 4)));
        let short = StringArray::from(vec!["a", "b", "c", "d", "é"]);
        vec![
            ("plain", Arc::new(plain.clone())),
            ("large", Arc::new(LargeStringArray::from(names.to_vec()))),
            ("view", Arc::new(StringViewArray::from(names.to_vec()))),
            ("coded", Arc::new(coded)),
            ("short", Arc::new(short)),
            ("n", Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]))),
        ]
    };
    let twice: Vec<String> = [names, names].concat().into_iter().map(str::to_owned).collect();
    for format in FORMATS {
        let table = batches(&path(&dir), format, columns(), 2);
        for at in 0..4 {
            let column = &table.columns()[at];
            assert_eq!(
                (column.type_name(), column.dtype(), column.is_array()),
                ("text", None, true),
                "{}",
                column.name()
            );
            assert_eq!(table.outline(&[at]).unwrap(), (None, vec![10]));
            let whole = table.tensor(&[at]).unwrap();
            assert_eq!((texts(&whole), whole.shape()), ((twice.clone(), 26), &[10][..]), "{}", column.name());
            let some = texts(&table.rows_of(&[at], &[0, 2, 9]).unwrap());
            assert_eq!(some, (["Riga", "Å", "Riga"].map(str::to_owned).to_vec(), 4), "{format:?} {}", column.name());
        }
        let (both, width) = texts(&table.tensor(&[4, 0, 4]).unwrap());
        assert_eq!((&both[9..12], width), (&["d", names[3], "d"].map(str::to_owned)[..], 26));
        assert_eq!(table.tensor(&[4, 4]).unwrap().dtype().size(), 4);
        let told = table.tensor(&[0, 5]).unwrap_err().to_string();
        assert_eq!(told, "has columns of text and of other values; choose one kind with '#name'");
        assert_eq!(table.tensor(&[5]).unwrap().to_vec::<i64>().unwrap()[8..], [4, 5]);
        let none = batches(&path(&dir), format, vec![("a", Arc::new(StringArray::from(Vec::<&str>::new())))], 1);
        assert_eq!((none.tensor(&[0]).unwrap().shape(), none.tensor(&[0]).unwrap().dtype().size()), (&[0][..], 4));
    }
    let coded = DictionaryArray::<Int8Type>::from_iter([Some("a"), None]);
    for gaps in [Arc::new(StringArray::from(vec![Some(""), None])) as ArrayRef, Arc::new(coded)] {
        assert!(
            refused(vec![("a", gaps)], &[0]).starts_with("column 'a' has nulls in 1 row, the first is row 1: fill")
        );
    }
}

/// A few bytes may say that many rows hold one long text.
#[test]
fn a_text_that_many_rows_share_takes_no_memory_for_each() {
    let dir = TempDir::new().unwrap();
    let long = "é".repeat(1 << 20);
    for (rows, refused) in [(1000, true), (3, false)] {
        let keys: Vec<i8> = (0..rows).map(|row| i8::from(row > 0)).collect();
        let of = |text: ArrayRef| DictionaryArray::<Int8Type>::new(keys.clone().into(), text);
        let [short, wide]: [ArrayRef; 2] = [
            Arc::new(of(Arc::new(StringArray::from(vec!["a", &long])))),
            Arc::new(of(Arc::new(LargeStringArray::from(vec!["a", &long])))),
        ];
        for format in FORMATS {
            let table = batches(&path(&dir), format, vec![("a", short.clone()), ("b", wide.clone())], 1);
            for at in [0, 1] {
                let read = table.tensor(&[at]);
                match refused {
                    true => {
                        let told = read.unwrap_err().to_string();
                        assert!(
                            told.contains("each of its texts would take the 4194304 bytes of the longest"),
                            "{told}"
                        );
                    }
                    false => assert_eq!(read.unwrap().dtype().size(), 4 << 20),
                }
            }
        }
    }
}
