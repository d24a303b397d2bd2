/** A separate host process with one contained program, so that the host can be killed or be given a terminal. */
import { readFileSync } from 'node:fs'
import type { Setting } from './canaries.ts'
import { type ContenderName, openContender } from './contenders.ts'

export interface Job {
  readonly name: ContenderName
  readonly setting: Setting
  readonly command: string
  readonly args: readonly string[]
  /** Folders that the program may read. */
  readonly shown?: readonly string[]
}

const { name, setting, command, args, shown } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as Job
await using contender = await openContender(name, setting)
const running = await contender.start(command, args, shown)
running.stdout.on('data', (chunk: Buffer) => process.stdout.write(chunk))
await running.ended
