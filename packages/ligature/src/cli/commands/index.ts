/** Every command, loaded only when it is asked for. Adding one is a file and a line here. */
import type { Commands } from "../frame/command.ts"

export const commands: Commands = {
  list: async () => (await import("./list.ts")).list,
  doctor: async () => (await import("./doctor.ts")).doctor,
  rescue: async () => (await import("./rescue.ts")).rescue,
  move: async () => (await import("./move.ts")).move,
  check: async () => (await import("./check.ts")).check,
  repair: async () => (await import("./repair.ts")).repair,
  convert: async () => (await import("./convert.ts")).convert,
  compact: async () => (await import("./compact.ts")).compact,
  recall: async () => (await import("./recall.ts")).recall,
  migrate: async () => (await import("./migrate.ts")).migrate,
  show: async () => (await import("./show.ts")).show,
  diff: async () => (await import("./diff.ts")).diff,
  stats: async () => (await import("./stats.ts")).stats,
  log: async () => (await import("./log/index.ts")).log,
  resume: async () => (await import("./resume.ts")).resume,
  rules: async () => (await import("./rules.ts")).rules,
  classify: async () => (await import("./classify.ts")).classify,
  formats: async () => (await import("./formats.ts")).formats,
  profiles: async () => (await import("./profiles.ts")).profiles,
  serve: async () => (await import("./serve.ts")).serve,
}

export const commandNames: readonly string[] = Object.keys(commands)
