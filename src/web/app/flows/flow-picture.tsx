/** The picture of a flow, loaded when a flow is first shown: the layout library is a chunk of its own. */
import type { JSX } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { Loading } from '../parts/loading.tsx'
import type { FlowGraphProps } from './flow-graph.tsx'

const FlowGraph = lazy(async () => ({ default: (await import('./flow-graph.tsx')).FlowGraph }))

export function FlowPicture(props: FlowGraphProps): JSX.Element {
  return (
    <div class="picture">
      <Suspense fallback={<Loading what="the picture" />}>
        <FlowGraph {...props} />
      </Suspense>
    </div>
  )
}
