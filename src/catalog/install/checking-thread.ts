/** Checks installed folders in a worker thread, which is started at first use. */
import { Worker } from 'node:worker_threads'
import { CordonError } from '../../kernel/error.ts'
import type { CheckFolder } from './check-folder.ts'
import type { CheckAnswer, CheckQuestion } from './check-worker.ts'
import type { Receipt } from './receipt.ts'

export interface CheckingThread extends AsyncDisposable {
  readonly check: CheckFolder
}

type Waiting = Map<number, PromiseWithResolvers<Receipt>>

export function openCheckingThread(): CheckingThread {
  let running: { readonly worker: Worker; readonly waiting: Waiting } | undefined
  let questions = 0
  return {
    async check(folder) {
      running ??= start(() => {
        running = undefined
      })
      const { worker, waiting } = running
      questions += 1
      const question: CheckQuestion = { id: questions, folder }
      const asked = Promise.withResolvers<Receipt>()
      waiting.set(question.id, asked)
      worker.ref() // a pending check keeps the process alive, an idle thread does not
      worker.postMessage(question, [])
      return await asked.promise
    },
    async [Symbol.asyncDispose]() {
      await running?.worker.terminate()
    },
  }
}

function start(onEnd: () => void): { readonly worker: Worker; readonly waiting: Waiting } {
  const worker = new Worker(workerFile(), { env: {} })
  const waiting: Waiting = new Map()
  worker.on('message', (answer: CheckAnswer) => {
    const asked = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (waiting.size === 0) worker.unref()
    if ('receipt' in answer) asked?.resolve(answer.receipt)
    else asked?.reject(CordonError.fromBody(answer.problem))
  })
  const end = (cause: unknown): void => {
    onEnd()
    for (const asked of waiting.values()) asked.reject(cause)
    waiting.clear()
  }
  worker.on('error', end)
  worker.on('exit', () => end(new Error('the thread that checks packages has ended')))
  return { worker, waiting }
}

/** Beside this file: `.ts` in development, bundled `.js` when installed. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./check-worker.${extension}`, import.meta.url)
}
