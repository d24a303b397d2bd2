/** Sequential Thinking. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, reads, shipped } from '../known-service.ts'

export const sequentialThinking: Service = knownService({
  slug: 'sequential-thinking',
  title: 'Sequential Thinking',
  about: 'Think in numbered steps.',
  aliases: ['sequentialthinking', 'thinking'],
  label: 'public',
  launch: shipped('@modelcontextprotocol/server-sequential-thinking', '2026.8.31', {
    integrity:
      'sha512-/EMH++1j2e+VmHwpibw1IUPHxA0tcQY09Yo5/OIPwW/8irEKLAufJNGSZQhCK18n8TUvV6WwZyQOuaDKxe/CeQ==',
  }),
  domains: [],
  env: { DISABLE_THOUGHT_LOGGING: 'true' },
  tools: {
    ...reads('sequentialthinking'),
  },
})
