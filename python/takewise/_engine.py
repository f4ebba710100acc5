"""xarray's engine ``takewise``: data sets in Zarr stores, whose elements takewise reads.

Found by xarray through the package's entry points: ``xarray.open_dataset(path, engine="takewise")``.
"""

import dataclasses
import importlib
import importlib.util
import os
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from takewise._stored import Source, Stored

# Only xarray asks for an engine; without it there is nothing to be one for.
xarray: Any = importlib.import_module("xarray") if importlib.util.find_spec("xarray") else None
_Base: Any = importlib.import_module("xarray.backends").BackendEntrypoint if xarray else object

# What decoding takes from a variable's attributes without changing its elements.
_NAMES_OF_OTHERS = {"coordinates", "grid_mapping", "bounds", "cell_measures", "ancillary_variables", "formula_terms"}


class Backend(_Base):
    """Data sets in Zarr stores: names, coordinates and conventions are xarray's own affair, elements are read by takewise.

    Indexers reach the store as they were written: points as points, slices as slices. So what is read is what is touched, and
    nothing is made dense on the way. Variables that takewise does not read (text, dates, and stores elsewhere than in a folder) are
    left to xarray's own engine.
    """

    description = "Zarr stores, of which the touched chunks are read"
    url = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        consolidated: bool | None = None,
        zarr_format: int | None = None,
    ) -> Any:
        store = {"group": group, "consolidated": consolidated, "zarr_format": zarr_format, "drop_variables": drop_variables}
        raw = xarray.open_dataset(filename_or_obj, engine="zarr", chunks=None, cache=False, decode_cf=False, **store)
        how = {"use_cftime": use_cftime, "decode_timedelta": decode_timedelta}
        found = xarray.decode_cf(
            raw,
            concat_characters=concat_characters,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            decode_coords=decode_coords,
            **{name: value for name, value in how.items() if value is not None},
        )
        if not isinstance(filename_or_obj, (str, os.PathLike)):
            return found
        folder = os.path.join(os.fspath(filename_or_obj), group or "")
        replaced = {}
        for name, variable in found.variables.items():
            scales = mask_and_scale.get(name, True) if isinstance(mask_and_scale, Mapping) else mask_and_scale
            if name not in found.xindexes and name in raw.variables:
                replaced[name] = _read(folder, name, raw.variables[name], variable, bool(scales))
        data = {name: variable for name, variable in replaced.items() if name in found.data_vars}
        found = found.assign(data).assign_coords({name: replaced[name] for name in replaced if name not in data})
        found.set_close(raw.close)
        return found

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Never: whoever wants it says so."""
        return False


def _read(folder: str, name: Hashable, raw: Any, decoded: Any, scales: bool) -> Any:
    """The variable with its elements read by takewise; as it is where takewise does not read them."""
    same = decoded.dtype == raw.dtype and decoded.shape == raw.shape
    plain = same and set(raw.attrs) - set(decoded.attrs) <= _NAMES_OF_OTHERS
    if not plain and (decoded.dtype.kind not in "fiub" or decoded.shape != raw.shape):
        return decoded
    try:
        source = Source(os.path.join(folder, str(name)))
    except NotImplementedError:
        return decoded
    except ModuleNotFoundError as error:
        raise ImportError(f"engine='takewise' needs {error.name}, which is not installed: pip install takewise-zarr") from error
    decode = None if plain else Decoder(str(name), dict(raw.attrs), dict(raw.encoding), scales)
    return decoded.copy(data=Stored(source, None, decode, decoded.dtype))


@dataclasses.dataclass(frozen=True)
class Decoder:
    """What makes numbers of stored ones, element by element."""

    name: str
    attrs: dict[Any, Any]
    encoding: dict[Any, Any]
    scales: bool

    def __call__(self, values: Any) -> Any:
        dims = tuple(f"axis {k}" for k in range(values.ndim))
        one = xarray.Variable(dims, values, dict(self.attrs), dict(self.encoding))
        how = {"concat_characters": False, "stack_char_dim": False, "decode_times": False, "mask_and_scale": self.scales}
        return xarray.conventions.decode_cf_variable(self.name, one, **how).values
