/** One attempt on the proxy: the escape artist runs inside, the proxy in this process; both sides give verdicts. */
import { openOutside } from '../../../src/egress/test-outside.ts'
import { artistFor, readLines } from '../escape/artist.ts'
import type { Canaries } from '../escape/canaries.ts'
import type { Contained, Contender } from '../escape/contenders.ts'
import { read } from '../escape/processes.ts'
import { got, stopped, type Verdict, type Verdicts } from '../escape/verdict.ts'
import { type Scene, type SceneMaker, SCENES } from './scenes.ts'

export async function attemptProxy(
  contender: Contender,
  canaries: Canaries,
  number: number,
): Promise<Verdicts> {
  let verdicts: Verdicts = {}
  for (const make of SCENES[number] ?? []) {
    verdicts = { ...verdicts, ...(await playScene({ contender, canaries, number }, make)) }
  }
  return verdicts
}

interface Play {
  readonly contender: Contender
  readonly canaries: Canaries
  readonly number: number
}

async function playScene(play: Play, make: SceneMaker): Promise<Verdicts> {
  const { contender, canaries, number } = play
  await using outside = await openOutside()
  const scene = await make(outside)
  await using proxy = await contender.openProxy(outside, scene)
  await using neighbour = scene.neighbour ? await openNeighbour(contender) : undefined
  const otherPort = neighbour && { otherPort: String(neighbour.port) }
  // Cordon gets long, as a slow machine may need it to close a connection; a naive proxy never closes any.
  const patienceMs = proxy.blocked ? 60_000 : 1000
  const { command, args } = artistFor(canaries, {
    attempts: [number],
    proxyPort: proxy.port,
    reachable: scene.reachable ?? '',
    words: { ...scene.words, ...otherPort },
    patienceMs,
  })
  const running = await contender.start(command, args)
  try {
    proxy.take(running)
    if (scene.gone) await proxy[Symbol.asyncDispose]()
    const [inside] = await Promise.all([readAll(running, number), whileRunning(scene, proxy)])
    const seen = scene.witness?.(proxy.blocked ?? [])
    return { ...inside, ...seen, ...(neighbour && { 'its connections': neighbour.saw() }) }
  } finally {
    await running.stop()
    scene[Symbol.dispose]?.()
  }
}

async function readAll(running: Contained, number: number): Promise<Verdicts> {
  const text = await read(running.stdout)
  const verdicts = readLines(text)[number]
  if (verdicts === undefined) throw new Error(`it did not come to its attempt: ${text}`)
  return verdicts
}

async function whileRunning(
  scene: Scene,
  { blocked }: { readonly blocked: readonly string[] | undefined },
): Promise<void> {
  if (blocked) await scene.during?.(blocked)
}

interface Neighbour extends AsyncDisposable {
  readonly port: number
  saw(): Verdict
}

/** Another server, whose proxy lets its own server reach the allowed host. */
async function openNeighbour(contender: Contender): Promise<Neighbour> {
  await using stack = new AsyncDisposableStack()
  const outside = stack.use(await openOutside())
  const scene = { allowed: ['allowed.example'] }
  const proxy = stack.use(await contender.openProxy(outside, scene))
  const running = await contender.start('cat', [])
  stack.defer(async () => void (await running.stop()))
  proxy.take(running)
  const owned = stack.move()
  return {
    port: proxy.port,
    saw: () =>
      outside.queries.length > 0
        ? got(`a way to ${outside.queries[0]}`)
        : stopped('nothing of it arrived'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
