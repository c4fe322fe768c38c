"""The version of this software, as journals and the session protocol name it."""

VERSION = "0.1.0"
