/** Slack. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import {
  givesJson,
  json,
  knownService,
  npm,
  reads,
  setting,
  token,
  writes,
} from '../known-service.ts'

export const slack: Service = knownService({
  slug: 'slack',
  title: 'Slack',
  about: 'Channels, messages, threads and people.',
  aliases: ['slack.com', '@modelcontextprotocol/server-slack'],
  launch: npm(
    '@zencoderai/slack-mcp-server',
    '0.0.1',
    'sha512-D+gC+uD1k3mLHkPESvHX9y22IwFhk1pi9m5JT/qy4Bt7QWAXf8iDSKcBF6q5B++IETnRrUzq4RVIgBC2e5k37Q==',
  ),
  domains: ['slack.com'],
  credentials: [
    token('SLACK_BOT_TOKEN', 'slack_token', {
      where: 'api.slack.com/apps → your app → OAuth & Permissions → Bot User OAuth Token',
      url: 'https://api.slack.com/apps',
      prefixes: ['xoxb-', 'xoxp-', 'xapp-'],
      pattern: '^xox[bpra]-[A-Za-z0-9-]{10,}$',
    }),
    setting('SLACK_TEAM_ID', 'team id', {
      where: 'open Slack in a browser: the part of the address that begins with T',
      pattern: '^T[A-Z0-9]{6,}$',
    }),
  ],
  verify: { tool: 'slack_list_channels', args: { limit: 1 } },
  tools: {
    ...reads('slack_get_user_profile'),
    ...writes('slack_add_reaction'),
    // Each answers with what Slack's API said, as JSON. Ids and time stamps are Slack's own.
    ...givesJson('channels[*].id response_metadata.next_cursor', 'slack_list_channels'),
    ...givesJson('members[*].id response_metadata.next_cursor', 'slack_get_users'),
    ...givesJson(
      'messages[*].ts messages[*].thread_ts messages[*].user',
      'slack_get_channel_history slack_get_thread_replies',
    ),
    slack_post_message: { semantics: 'write', ...json('channel ts') },
    slack_reply_to_thread: { semantics: 'write', ...json('channel ts') },
  },
  notes: ['The bot sees only channels it was invited to.'],
})
