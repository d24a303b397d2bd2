/**
 * The digest that an approval is bound to: a hash over everything that will run and every fact of the decision. A call
 * that differs in a single byte has another digest, and so no approval.
 */
import { hash } from 'node:crypto'
import type { Asked } from '../../kernel/approval.ts'
import { canonicalJson, type Json, type JsonObject } from '../../text/json.ts'
import { storeTree } from '../../labels/stored-label.ts'

/** Every field is part of the digest. */
export interface BoundCall {
  readonly taskId: string
  readonly planHash: string | null
  readonly stepId: string
  readonly server: string
  readonly serverPin: string
  readonly tool: string
  readonly defHash: string
  readonly args: JsonObject
  readonly labelsDigest: string
  /** The receiver of the arguments. */
  readonly sink: string
}

/** Makes each question unique, and limits how long its answer can be used. */
export interface Once {
  readonly nonce: string
  readonly exp: number
}

/** Throws for a value without canonical JSON: such a call cannot be bound, so it cannot be approved. */
export function bindCall({ request, facts, args }: Asked): BoundCall {
  const { task, tool } = request
  return {
    taskId: task.id,
    planHash: task.planHash ?? null,
    stepId: task.step,
    server: tool.server,
    serverPin: facts.serverPin,
    tool: tool.name,
    defHash: facts.hash,
    args,
    labelsDigest: sha256(labelsOf(request.args)),
    sink: tool.server,
  }
}

export function digestOf(call: BoundCall, { nonce, exp }: Once): string {
  return sha256({ v: 1, ...call, nonce, exp })
}

/** The same for the same call in the same step of the same task, however often it is asked. */
export function keyOf(call: BoundCall): string {
  return sha256({ v: 1, ...call })
}

export function sha256(value: Json): string {
  return hash('sha256', canonicalJson(value))
}

function labelsOf(args: Asked['request']['args']): Json {
  return Object.keys(args)
    .sort()
    .map((name) => [name, storeTree((args[name] as (typeof args)[string]).tree)])
}
