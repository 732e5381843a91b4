import type { Diagnostic, Transcript } from "../../model/index.ts"
import type { Profile } from "./profile.ts"

export const checkProfile = (_transcript: Transcript, _profile: Profile, _tip: "open" | "closed"): readonly Diagnostic[] => []
