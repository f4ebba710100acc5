"""PyTorch, for modules that run only where it is; tools look at them elsewhere too."""

import importlib
import importlib.util
from typing import Any

torch: Any = importlib.import_module("torch") if importlib.util.find_spec("torch") else None
# Our operators, by name.
ops: Any = torch.ops.takewise if torch else None
