"""Calls inside `jax.experimental.checkify`: an index outside its axis is a failed check, on every device.

By checks a program goes on, so this is how ``bounds="raise"`` is kept where XLA cannot call the engine. JAX has no public name by which a
primitive says what it checks; this is the one that JAX's own use.
"""

import json

import jax
import jax.numpy as jnp
from jax._src.checkify import checkify_jaxpr, error_checks
from jax.experimental import checkify

from takewise import exceptions
from takewise._jax import _elsewhere


class _Checked(_elsewhere.Rules):
    """Leaves out what is outside, and checks that nothing is."""

    def __init__(self, spec):
        super().__init__(spec, json.loads(spec.tolerant().plain))
        self.name = spec.said or spec.name

    def fixed(self, index, length, axis):
        if index.size:
            counted = self.counted(index, length)
            wrong = jnp.ravel((counted < 0) | (counted >= length))
            text = f"{self.name}: index {{value}} is out of bounds for axis {axis} with size {length}"
            checkify.check(~wrong.any(), text, value=jnp.ravel(index)[jnp.argmax(wrong)])
        return super().fixed(index, length, axis)


def register(primitive):
    """Tells JAX what calls check."""

    def bind(*arrays, spec, batch, which):
        return primitive.bind(*arrays, spec=spec, batch=batch, which=which)

    def rule(error, enabled, *arrays, spec, batch, which):
        if spec.tolerant() == spec or not checkify.user_checks <= enabled:
            return error, bind(*arrays, spec=spec, batch=batch, which=which)
        if spec.mode != "call":
            # What this is a derivative of has been checked.
            return error, bind(*arrays, spec=spec.tolerant(), batch=batch, which=which)

        def checked(*arrays):
            places = lambda *parts: _elsewhere.places_of(spec, parts, _Checked(spec))[0]
            _elsewhere.of_each(places, batch, which)(*arrays)
            return bind(*arrays, spec=spec.tolerant(), batch=batch, which=which)

        try:
            program = jax.make_jaxpr(checked)(*arrays)
        except exceptions.NotImplementedError:
            return error, bind(*arrays, spec=spec, batch=batch, which=which)
        return checkify_jaxpr(program, enabled, error, *arrays)

    error_checks[primitive] = rule
