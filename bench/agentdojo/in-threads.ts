/** Measures jobs two at a time, each in a thread of its own, which is given the job and posts its result. */
import { Worker } from 'node:worker_threads'

const AT_ONCE = 2

/** Results in the order of the jobs. The largest come first, so that no thread waits for the other at the end. */
export async function inThreads<Job, Result>(
  worker: URL,
  jobs: readonly Job[],
  sizeOf: (job: Job) => number,
): Promise<readonly Result[]> {
  const done = new Map<Job, Result>()
  const left = jobs.toSorted((a, b) => sizeOf(b) - sizeOf(a))
  const work = async (): Promise<void> => {
    for (let job = left.shift(); job; job = left.shift()) done.set(job, await inThread(worker, job))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return jobs.map((job) => done.get(job) as Result)
}

async function inThread<Result>(file: URL, job: unknown): Promise<Result> {
  const worker = new Worker(file, { workerData: job })
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`The measurement ended with ${code}`)))
  })
}
