/** Turns a thrown value into the lines and the exit code that a person sees. Never shows a stack, never a cause. */
import { CordonError, type ErrorBody } from '../kernel/error.ts'
import { printable } from '../text/untrusted-text.ts'
import { showJson } from './output.ts'
import type { Terminal } from './context.ts'

export function showError(terminal: Terminal, error: unknown, json: boolean): number {
  const body = describe(error)
  if (json) {
    terminal.stdout.write(`${showJson({ error: body })}\n`)
    return body.exit
  }
  const kind = body.code === 'cli.bug' ? 'bug' : 'error'
  terminal.stderr.write(`cordon: ${kind}: ${printable(body.message)}\n`)
  terminal.stderr.write(`cordon: hint: ${printable(body.hint)}\n`)
  return body.exit
}

function describe(error: unknown): ErrorBody {
  if (error instanceof CordonError) return error.toBody()
  return {
    code: 'cli.bug',
    message: error instanceof Error ? `${error.name} in ${place(error)}` : 'something unknown',
    hint: 'Please report this with what you typed; nothing was lost',
    exit: 1,
  }
}

/** The first frame of the stack, without the message of the error, which may be untrusted text. */
function place(error: Error): string {
  const frame = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return (
    frame
      ?.trim()
      .replace(/^at /, '')
      .replace(/\(?(?:file:)?\/.*\/(?=[^/]+$)/, '(') ?? 'Cordon'
  )
}
