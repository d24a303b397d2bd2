/**
 * The Node flags of every process that will hold secrets. No text becomes code, and no debugger opens: not by
 * SIGUSR1, and not by `--inspect` in NODE_OPTIONS, which a flag on the command line overrides. The place for young objects
 * stays below 32 MB: V8 would let it grow to 128 MB, and keep it. The same list is in
 * `src/sandbox/unsandboxed/start-kernel.ts`, which cannot read this file once it is built.
 */
'use strict'

module.exports = {
  KERNEL_FLAGS: [
    '--disallow-code-generation-from-strings',
    '--disable-sigusr1',
    '--no-inspect',
    '--no-inspect-brk',
    '--no-inspect-wait',
    '--max-semi-space-size=16',
  ],
}
