/** What the routes about flows accept. Part of `api-inputs.ts`. */
import { z } from 'zod'
import type { Input, Route } from './api.ts'
import { ASKING } from './approval-contract.ts'
import { DRAWINGS, type FlowContract, TRUSTS } from './flow-contract.ts'
import { type FlowSource, RUN_STATES } from './flow-port.ts'
import type { Json } from './json.ts'

type FlowRoute = Extract<Route, keyof FlowContract>

const nothing = z.strictObject({})
const json = z.json() as z.ZodType<Json>
const name = z.string().min(1).max(100)
const nodeName = z.string().min(1).max(200)
const text = z.string().min(1).max(1_000_000)
const id = z.string().min(1).max(200)
const run = z.strictObject({ id })
const named = z.strictObject({ name })
const inputs = z.record(z.string().min(1).max(200), json)
/** Strings in a request are counted in UTF-16 units; a body holds a MiB at most anyway. */
const stdin = z.string().max(1_000_000).exactOptional()

const source: z.ZodType<FlowSource> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text }),
  z.strictObject({ kind: z.literal('words'), words: z.array(z.string()).min(1).max(10_000) }),
  z.strictObject({ kind: z.literal('ir'), ir: json }),
  z.strictObject({ kind: z.literal('saved'), name }),
])

export const flowInputs: { readonly [R in FlowRoute]: z.ZodType<Input<R>> } = {
  'flows.check': z.strictObject({
    source,
    given: z.array(z.string().max(200)).max(1000).exactOptional(),
  }),
  'flows.start': z.strictObject({
    source,
    id: z.uuid().exactOptional(),
    inputs: inputs.exactOptional(),
    stdin,
    folder: z.string().min(1).max(4096).startsWith('/').exactOptional(),
    approval: z.enum(ASKING).exactOptional(),
    useCache: z.boolean().exactOptional(),
    trust: z.array(z.enum(TRUSTS)).max(2).exactOptional(),
  }),
  'flows.follow': z.strictObject({ id, after: z.int().min(0) }),
  'flows.runs': z.strictObject({
    limit: z.int().min(1).max(1000).exactOptional(),
    state: z.enum(RUN_STATES).exactOptional(),
  }),
  'flows.show': run,
  'flows.cancel': run,
  'flows.answer': z.strictObject({
    id,
    question: z.string().min(1).max(200),
    choice: z.string().min(1).max(50),
    value: json.exactOptional(),
  }),
  'flows.save': z.strictObject({ name, source, replace: z.boolean() }),
  'flows.list': nothing,
  'flows.read': named,
  'flows.remove': named,
  'flows.nodes': z.strictObject({ filter: z.string().min(1).max(200).exactOptional() }),
  'flows.node': z.strictObject({ name: nodeName }),
  'flows.complete': z.strictObject({ text: z.string().max(100_000) }),
  'flows.draw': z.strictObject({ source, format: z.enum(DRAWINGS) }),
  'flows.schedule': z.strictObject({
    name,
    cron: z.string().min(1).max(200),
    timezone: z.string().min(1).max(100).exactOptional(),
    sinks: z.array(z.string().min(1).max(200)).max(20),
    template: z.string().min(1).max(100),
    inputs: inputs.exactOptional(),
  }),
  'flows.unschedule': named,
  'flows.schedules': nothing,
}
