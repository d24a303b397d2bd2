/**
 * A runtime whose storage could not be opened, for example because the file is damaged: the kernel starts and answers all
 * the same, and each operation on runs opens the storage again or is refused with the reason.
 */
import type { Log } from '../../kernel/ports.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowRuntime } from './flow-runtime.ts'

export async function openReopening(
  open: () => Promise<FlowRuntime>,
  log: Log,
): Promise<FlowRuntime> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    log.error('Cannot open the runs; everything else goes on', { error })
    return createReopening(open)
  }
}

function createReopening(open: () => Promise<FlowRuntime>): FlowRuntime {
  let opening: Promise<FlowRuntime> | undefined
  let opened: FlowRuntime | undefined
  let hasBegun = false
  const reopen = async (): Promise<FlowRuntime> => {
    opened = await open()
    if (hasBegun) opened.begin()
    return opened
  }
  const runtime = (): Promise<FlowRuntime> => {
    opening ??= reopen().catch((error: unknown) => {
      opening = undefined // the next operation tries again
      throw error
    })
    return opening
  }
  return {
    begin() {
      hasBegun = true
      opened?.begin()
    },
    start: async (run) => await (await runtime()).start(run),
    find: async (id) => await (await runtime()).find(id),
    list: async (query) => await (await runtime()).list(query),
    // Every prompt shows the number, so it is never refused.
    countOpen: async () =>
      await runtime()
        .then((one) => one.countOpen())
        .catch(() => 0),
    steps: async (id) => await (await runtime()).steps(id),
    stepsDone: async (id) => await (await runtime()).stepsDone(id),
    cancel: async (id, sums) => await (await runtime()).cancel(id, sums),
    answer: async (id, question, answer) => await (await runtime()).answer(id, question, answer),
    reply: async (id, reply) => await (await runtime()).reply(id, reply),
    send: async (message) => await opened?.send(message),
    forget: async (id) => await (await runtime()).forget(id),
    reopen: async (id) => await (await runtime()).reopen(id),
    async [Symbol.asyncDispose]() {
      await opened?.[Symbol.asyncDispose]()
    },
  }
}
