"""The version of profgate, which is read by the build."""

VERSION = "0.1.0"
