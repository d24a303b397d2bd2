/**
 * Detects the mistake `cordon a >> b`: the shell appends Cordon's output to a file named `b`, and Cordon never sees the
 * rest of the flow. Tells it apart from an intended redirection and prints the correct command. `a => b` and `a -> b`
 * are the same mistake. Pure.
 */
import type { Problem } from '../../text/problem.ts'
import type { Flag, FlowText, Step } from './flow-text.ts'
import { parseFlow } from './parse-flow.ts'
import { printCommand } from './print-flow.ts'

export interface ShellFacts {
  /** Arguments without the program's name. */
  readonly argv: readonly string[]
  /** The program name that the flow was typed after; `cordon` if absent. */
  readonly program?: string
  readonly stdoutIsRegularFile: boolean
  readonly stdoutBasename: string | undefined
  readonly knowsNode: (name: string) => boolean
  /** Whether a node takes a flag: the flags of `b` were parsed as flags of `a`. */
  readonly takesFlag?: (node: string, flag: string) => boolean
  /** Empty files of this folder, oldest first: for `a >> b >> c` the shell also created `b` and left it empty. */
  readonly emptyFiles?: readonly string[]
}

export interface ShellMistake extends Problem {
  /** The command to run instead. */
  readonly command: string
  /** The files that the shell created or appended to. */
  readonly files: readonly string[]
}

export function decideShellMistake(facts: ShellFacts): ShellMistake | undefined {
  const { stdoutIsRegularFile, stdoutBasename: last, knowsNode, emptyFiles = [] } = facts
  if (!stdoutIsRegularFile || last === undefined || !knowsNode(last)) return undefined
  const flow = flowBefore(facts)
  if (!flow) return undefined
  const between = emptyFiles.filter((file) => file !== last && knowsNode(file))
  const files = [...between, last]
  const command = printCommand(joined(flow, files, facts), facts.program)
  const names = files.map((file) => JSON.stringify(file)).join(' and ')
  return {
    code: 'flows.shell-redirect',
    message: `Cannot see what follows the first node: the shell read ">>" as "append to a file" and wrote to ${names}`,
    hint: `Run ${command} with the quotes, then look at ${names} and delete what the shell made`,
    command,
    files,
  }
}

/** The part of the command that the shell passed on. */
function flowBefore({ argv, knowsNode }: ShellFacts): FlowText | undefined {
  // The shell passes on the first character of the arrows in `a => b` and `a -> b`.
  const withoutArrows = argv.filter((word) => word !== '=' && word !== '-')
  const read = [argv, withoutArrows].map(parseFlow).find(({ kind }) => kind === 'flow')
  if (read?.kind !== 'flow') return undefined
  const isKnown = read.flow.statements.flat().every(({ name }) => knowsNode(name))
  return isKnown ? read.flow : undefined
}

/** Each flag goes to the first node that takes it, starting with the node it was parsed at. */
function joined(flow: FlowText, names: readonly string[], facts: ShellFacts): Written {
  const last = flow.statements.at(-1) ?? []
  const landed = last.at(-1)
  if (!landed) return flow
  const nodes = [landed.name, ...names]
  const home = ({ key }: Flag): number => {
    return Math.max(
      0,
      nodes.findIndex((node) => facts.takesFlag?.(node, key)),
    )
  }
  const steps = nodes.map((name, index): Step => {
    const flags = landed.flags.filter((flag) => home(flag) === index)
    return index === 0 ? { ...landed, flags } : { name, flags, at: 0 }
  })
  return { statements: [...flow.statements.slice(0, -1), [...last.slice(0, -1), ...steps]] }
}

type Written = Pick<FlowText, 'statements'>
