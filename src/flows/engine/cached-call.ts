/** Answers a step from the cache, only if the owner trusts the tool as pure and the policy would allow the call now. */
import { isAbove } from '../../labels/label.ts'
import type { Labelled } from '../../labels/labelled.ts'
import type { CallRequest } from '../../kernel/tool-call.ts'
import { cacheKey } from './cache-key.ts'
import type { CallStep } from './call-step.ts'
import type { RunContext } from './run-context.ts'

export async function lookInCache(
  context: RunContext,
  step: CallStep,
  request: CallRequest,
): Promise<Labelled | undefined> {
  const key = await keyFor(context, step)
  if (key === undefined) return undefined
  const { policy, servers } = context.door
  const facts = await servers.know(request.tool, context.run.signal)
  const isAllowed = policy.decide(request, facts).kind === 'allow'
  const answer = isAllowed ? await context.deps.cache.get(key) : undefined
  const { template } = context
  // The door is asked instead, which refuses the answer and records that.
  return answer && template && isAbove(answer.label.level, template.ceiling) ? undefined : answer
}

export async function putInCache(
  context: RunContext,
  step: CallStep,
  value: Labelled,
): Promise<void> {
  const key = await keyFor(context, step)
  if (key !== undefined) await context.deps.cache.put(key, value)
}

async function keyFor(
  { plan, deps }: RunContext,
  { turn, args }: CallStep,
): Promise<string | undefined> {
  const { cachedAs, tool } = turn.planned
  const { useCache, principal } = plan.options
  if (!useCache || cachedAs === undefined || !tool) return undefined
  const account = deps.account ? await deps.account(tool.server) : ''
  if (account === undefined) return undefined
  return cacheKey({
    nodeHash: cachedAs,
    params: turn.node.params,
    inputs: args,
    principal: principal.id,
    account,
  })
}
