"""Model providers of our own, and nothing imported with this name alone.

`weights` fetches the embedded model's file; `gguf` reads the head of such a file; `engine` runs llama.cpp in this
process; `serve` offers it over HTTP; `reply_file` reads answers from a file; `epoch` says which repeat is being asked
for. `embedded` and `replies` make Inspect models of the engine and of a file, and alone import Inspect, with `faults`.
"""
