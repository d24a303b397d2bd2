/** The thread in which `measure-all.ts` measures a suite. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Job } from './measure-all.ts'
import { measure } from './measure-flows.ts'
import { readSuites } from './suite.ts'

const { folder, suite, variant, setting, sparse } = workerData as Job
const found = readSuites(folder).find((one) => one.suite === suite)
if (!found) throw new TypeError(`No suite ${JSON.stringify(suite)}`)
// A thread has no origin: the rule is about windows.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(await measure(found, { variant, setting, sparse }))
