/**
 * Waits at the terminal until a sign-in in the browser is over. Opens the page where the person has a browser, and takes
 * the address at which a browser on another machine ended; it is typed hidden, since it holds a code.
 */
import type { Api } from '../../api/contract.ts'
import { nextView } from '../../api/long-poll.ts'
import type { ConnectionQuestion, ConnectionView } from '../../ports/setup-port.ts'
import { askSecret } from '../ask.ts'
import type { Surface } from '../context.ts'
import type { Output } from '../output.ts'

interface Waiting {
  readonly api: Api
  readonly output: Output
  readonly surface: Pick<Surface, 'terminal' | 'openPage'>
  readonly signal: AbortSignal
}

const QUESTION = 'Address of the page at which the browser ended, if it cannot come back'

/** The view once the connection no longer waits for this page. After a device code, nothing is pasted. */
export async function awaitBrowser(
  { api, output, surface, signal }: Waiting,
  view: ConnectionView,
  { authorize, device }: ConnectionQuestion,
): Promise<ConnectionView> {
  const { terminal } = surface
  if (!terminal.stdin.isTTY || output.json) return await nextView(api, view, signal)
  if (await surface.openPage(authorize ?? device?.url ?? '')) output.note('Opened in your browser.')
  if (authorize === undefined) return await nextView(api, view, signal)
  const settled = new AbortController()
  const over = AbortSignal.any([signal, settled.signal])
  const pasted = handOver()
  const changed = nextView(api, view, over)
  try {
    return await Promise.race([pasted, changed])
  } finally {
    settled.abort()
    void Promise.allSettled([pasted, changed])
  }

  async function handOver(): Promise<ConnectionView> {
    for (;;) {
      const value = (await askSecret(terminal, QUESTION, over)).trim()
      if (value === '') continue
      return await api.call('connect.provide', { connection: view.connection, value }, signal)
    }
  }
}
