"""Model providers of our own, and nothing imported with this name alone.

`weights` fetches the embedded model's file; `gguf` reads the head of such a file; `engine` runs llama.cpp in this
process; `embedded` and `replies` make Inspect models of the engine and of a file of answers; `epoch` says which
repeat is being asked for; `serve` offers the engine over HTTP.
"""
