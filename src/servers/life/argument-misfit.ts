/** Checks a call's arguments against the tool's own schema, and refuses arguments that the schema does not declare. */
import type { ToolCall } from '../../kernel/tool-call.ts'
import { cleanText } from '../session/clean-text.ts'
import type { SchemaChecker } from '../session/schema-checker.ts'
import { undeclaredIn } from '../session/undeclared.ts'
import type { ManifestTool } from './manifest.ts'

const MAX_PROBLEM = 300

export interface FitDeps {
  readonly checker: SchemaChecker
  readonly redact: (text: string) => string
}

/** The misfit as a sentence; undefined if the arguments fit. Synchronous if possible, since every call is checked. */
export function argumentMisfit(
  { checker, redact }: FitDeps,
  { inputSchema }: ManifestTool,
  { args }: Pick<ToolCall, 'args'>,
): string | undefined | Promise<string | undefined> {
  const explain = (problem: string | undefined): string | undefined =>
    problem && `The arguments do not fit the tool: ${cleanText(problem, redact, MAX_PROBLEM)}`
  const found = undeclaredIn(inputSchema, args) ?? checker.check(inputSchema, args)
  return found instanceof Promise ? found.then(explain) : explain(found)
}
