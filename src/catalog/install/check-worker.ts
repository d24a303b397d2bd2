/** The worker thread that checks installs: thousands of file system calls, which would block the main thread. */
import { parentPort } from 'node:worker_threads'
import { CordonError, type ErrorBody } from '../../kernel/error.ts'
import { createCheckFolder } from './check-folder.ts'
import type { Receipt } from './receipt.ts'

export interface CheckQuestion {
  readonly id: number
  readonly folder: string
}

export type CheckAnswer = { readonly id: number } & (
  | { readonly receipt: Receipt }
  | { readonly problem: ErrorBody }
)

const check = createCheckFolder()

parentPort?.on('message', ({ id, folder }: CheckQuestion) => {
  check(folder).then(
    (receipt) => answer({ id, receipt }),
    (error: unknown) => {
      if (!(error instanceof CordonError)) throw error
      answer({ id, problem: error.toBody() })
    },
  )
})

function answer(words: CheckAnswer): void {
  parentPort?.postMessage(words, [])
}
