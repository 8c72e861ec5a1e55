"""Comparison of two sides: pairing of profiles, comparability checks, aligned call trees and totals by symbol."""
