/** Standard input and output of a program: a gateway process of its own for every client. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type OpenWire, parseRpc } from './wire.ts'

export interface LineTarget {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

export function lineWire({ command: [program = '', ...args], environment }: LineTarget): OpenWire {
  return async (taker) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: environment ?? process.env,
    })
    const ended = new Promise<void>((resolve) => {
      child.once('close', () => resolve())
      child.once('error', () => resolve())
    })
    child.stdin.on('error', () => undefined)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const rpc = parseRpc(line)
      if (rpc) taker.message(rpc)
    })
    return {
      send: async (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
      ready: async () => undefined,
      async [Symbol.asyncDispose]() {
        child.stdin.end()
        child.kill()
        await ended
      },
    }
  }
}
