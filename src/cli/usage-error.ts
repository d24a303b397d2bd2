/** A mistake in the words of a command line, as an error with a hint. Repeats no surplus value: it may be a secret. */
import type { CommanderError } from 'commander'
import { CordonError } from '../kernel/error.ts'

/** commander's code for having shown the help because no command was named. */
export const HELP = 'commander.help'

/** `hint` suggests nodes, and is used if commander has no suggestion of its own. */
export function usageError(
  { code, message }: CommanderError,
  hint: string | undefined,
): CordonError {
  const [, problem = message, near] =
    /^error: (.*?)(?:\n\((Did you mean .*)\))?$/s.exec(message) ?? []
  const what = code === HELP ? 'a command is missing' : withoutValues(problem)
  const spec = { exit: 2, hint: near || hint || hintFor(what) } as const
  return new CordonError('cli.arguments', spec, what)
}

function hintFor(what: string): string {
  return what.startsWith('too many arguments')
    ? 'Type a secret when asked, or pipe it in; see `--help`'
    : 'Add `--help` to see what it takes'
}

/** Drops the surplus values from the message: one may be a secret that was put on the command line. */
function withoutValues(problem: string): string {
  return problem
    .replace(/^(too many arguments[^:]*):.*$/s, '$1')
    .replace(/^(unknown option '[^=]*)=.*$/s, "$1'")
}
