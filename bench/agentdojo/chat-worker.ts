/** The thread in which `agentdojo-chat` types the tasks of one suite. */
import { parentPort, workerData } from 'node:worker_threads'
import { measureChat } from './measure-chat.ts'
import type { ChatJob } from './measure-chats.ts'
import { readSuites } from './suite.ts'

const { folder, suite, ...options } = workerData as ChatJob
const found = readSuites(folder).find((one) => one.suite === suite)
if (!found) throw new TypeError(`No suite ${JSON.stringify(suite)}`)
// A thread has no origin: the rule is about windows.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(await measureChat(found, options))
