"""Asks Perfetto's trace processor what it finds in a trace: perfetto.py FILE"""
import sys
from importlib.metadata import version
from perfetto.trace_processor import TraceProcessor

processor = TraceProcessor(trace=sys.argv[1])
count = lambda table: next(iter(processor.query(f"select count(*) as n from {table}"))).n
print(f"perfetto {version('perfetto')}: {count('slice')} slices, {count('flow')} arrows, {count('process')} processes")
