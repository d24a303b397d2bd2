/**
 * A template: the tools of a task that runs without its owner, and the sinks of its answer. The owner writes templates in
 * `config.toml`; a limit they leave out is at its strict end. A sink that is not named is cleared for nothing.
 */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import { LEVELS } from '../labels/label.ts'
import type { Sink } from '../labels/sink.ts'
import type { Template } from '../kernel/tool-call.ts'

const words = z.array(z.string().min(1).max(200)).max(1000)

const Written = z.strictObject({
  allowed_tools: words.default([]),
  denied_tools: words.default([]),
  max_tool_calls: z.int().min(0).max(1000).default(10),
  /** No task handles secrets. */
  data_ceiling: z.enum(LEVELS).exclude(['secret']).default('internal'),
  output_sinks: words.default([]),
  require_approval_for_writes: z.boolean().default(true),
})

/** Throws on unknown fields and values: a misspelled limit must not mean no limit. */
export function parseTemplate(name: string, input: unknown): Template {
  const result = Written.safeParse(input)
  if (!result.success) throw notUnderstood(name, result.error)
  const { data } = result
  return {
    name,
    allowed: data.allowed_tools,
    denied: data.denied_tools,
    maxCalls: data.max_tool_calls,
    ceiling: data.data_ceiling,
    sinks: data.output_sinks,
    asksForWrites: data.require_approval_for_writes,
  }
}

function notUnderstood(name: string, error: z.ZodError): CordonError {
  const [issue] = error.issues
  const where = issue && issue.path.length > 0 ? ` at ${JSON.stringify(issue.path.join('.'))}` : ''
  return new CordonError(
    'policy.template',
    { exit: 2, hint: `Correct [templates.${name}] in config.toml` },
    `Cannot read template ${JSON.stringify(name)}${where}: ${issue?.message ?? 'it is not understood'}`,
  )
}

/** The sink of a task's answer, if it is known and the task's template names it. `sink:notion:*` is a prefix. */
export function clearedSink(
  name: string,
  template: Template | undefined,
  known: readonly Sink[],
): Sink | undefined {
  const sink = known.find((one) => one.name === name)
  if (!sink || !template) return sink
  return isNamedSink(name, template) ? sink : undefined
}

/** Whether the template names the sink, by itself or by a prefix. */
export function isNamedSink(name: string, { sinks }: Pick<Template, 'sinks'>): boolean {
  return sinks.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one))
}
