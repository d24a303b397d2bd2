/** The models that the providers offered when they were last asked on this page; suggestions while a profile is edited. */
import { type Signal, signal } from '@preact/signals'
import type { OfferedModels } from '../../ports/model-port.ts'

export const offeredModels: Signal<readonly OfferedModels[]> = signal([])
