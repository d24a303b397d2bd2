/**
 * Scrolls a page from top to end: by the clock, as fast as frames come; or step by step, with the processor time of the
 * page's main thread for each step (script, style, layout and paint), which other programs do not lengthen.
 */
import type { Page } from 'playwright-core'

export interface Scrolled {
  readonly frames: number
  /** Frames over 50 ms by the clock, by the browser's own count (Long Animation Frames). */
  readonly longFrames: number
}

export async function scrollThrough(page: Page): Promise<Scrolled> {
  await page.evaluate(TO_TOP)
  return (await page.evaluate(SCROLL)) as Scrolled
}

/** Milliseconds for each step. A step is one frame that scrolls and the frame after it, which draws what came near. */
export async function workOfSteps(page: Page): Promise<readonly number[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const used = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  await page.evaluate(TO_TOP)
  const steps: number[] = []
  let before = await used()
  for (let isEnd = false; !isEnd; ) {
    isEnd = Boolean(await page.evaluate(STEP))
    const after = await used()
    steps.push(after - before)
    before = after
  }
  await session.detach()
  return steps
}

/** The jump itself is no scrolling. */
const TO_TOP = `new Promise((resolve) => {
  scrollTo(0, 0)
  setTimeout(resolve, 300)
})`

const IS_END = 'scrollY + innerHeight >= document.documentElement.scrollHeight - 1'

const STEP = `new Promise((resolve) => requestAnimationFrame(() => {
  scrollBy(0, 480)
  requestAnimationFrame(() => setTimeout(() => resolve(${IS_END})))
}))`

const SCROLL = `new Promise((resolve) => {
  let longFrames = 0
  let frames = 0
  const observer = new PerformanceObserver((list) => { longFrames += list.getEntries().length })
  observer.observe({ type: 'long-animation-frame' })
  const next = () => {
    frames += 1
    scrollBy(0, 480)
    if (!(${IS_END})) return requestAnimationFrame(next)
    setTimeout(() => { observer.disconnect(); resolve({ frames, longFrames }) }, 200)
  }
  requestAnimationFrame(next)
})`
