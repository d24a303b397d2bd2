/** The screens of the page, in the order of the navigation. Each is a chunk of its own, loaded when it is first opened. */
import type { ComponentType } from 'preact'

export interface ScreenEntry {
  readonly id: string
  readonly title: string
  /** Pressed after `g`, it opens the screen. */
  readonly key: string
  readonly load: () => Promise<ComponentType>
}

export const SCREENS: readonly ScreenEntry[] = [
  {
    id: 'home',
    title: 'Home',
    key: 'h',
    load: async () => (await import('./screens/home.tsx')).Home,
  },
  {
    id: 'chat',
    title: 'Chat',
    key: 'c',
    load: async () => (await import('./screens/chat.tsx')).Chat,
  },
  {
    id: 'servers',
    title: 'Servers',
    key: 's',
    load: async () => (await import('./screens/servers.tsx')).Servers,
  },
  {
    id: 'flows',
    title: 'Flows',
    key: 'f',
    load: async () => (await import('./screens/flows.tsx')).Flows,
  },
  {
    id: 'settings',
    title: 'Settings',
    key: 't',
    load: async () => (await import('./screens/settings.tsx')).Settings,
  },
  {
    id: 'approvals',
    title: 'Approvals',
    key: 'a',
    load: async () => (await import('./screens/approvals.tsx')).Approvals,
  },
  {
    id: 'memory',
    title: 'Memory',
    key: 'm',
    load: async () => (await import('./screens/memory.tsx')).Memory,
  },
  {
    id: 'schedules',
    title: 'Schedules',
    key: 'd',
    load: async () => (await import('./screens/schedules.tsx')).Schedules,
  },
  {
    id: 'clients',
    title: 'Clients',
    key: 'p',
    load: async () => (await import('./screens/clients.tsx')).Clients,
  },
  {
    id: 'audit',
    title: 'Audit',
    key: 'u',
    load: async () => (await import('./screens/audit.tsx')).Audit,
  },
]
