import { OperatorProblem } from "../base/operator-problem.ts";
import {
  type Command,
  type DescribedCommand,
  onePositional,
  printJson,
  printLines,
  readOptions,
} from "./command.ts";

const shells = ["bash", "zsh", "fish"] as const;

export function completionOf(allCommands: () => Promise<readonly DescribedCommand[]>): Command {
  return {
    name: "completion",
    help: `countersign completion SHELL [--json]

Prints a script for bash, zsh or fish that completes the names of commands and options, and of files. To use it in every
new shell:

  countersign completion bash > ~/.local/share/bash-completion/completions/countersign
  countersign completion zsh > ~/.zfunc/_countersign    (a folder that fpath lists before compinit runs)
  countersign completion fish > ~/.config/fish/completions/countersign.fish

  --json   print one JSON object: shell, script
`,
    async run(args) {
      const { values, positionals } = readOptions("completion", args, { json: { type: "boolean" } }, true);
      const given = onePositional("completion", positionals, "a shell: bash, zsh or fish");
      const shell = shells.find((known) => known === given);
      if (shell === undefined)
        throw new OperatorProblem(`There is no script for ${given}, only for bash, zsh and fish.`);
      const script = scripts[shell]((await allCommands()).map(completed));
      if (values.json === true) printJson({ shell, script });
      else printLines([script]);
      return 0;
    },
  };
}

/** What can follow a command's name. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  /** Such as `listen` of `countersign events listen`. */
  readonly subcommands: readonly string[];
  readonly options: readonly string[];
}

/** From the help text. A test tries each of the options. */
function completed({ name, summary, help }: DescribedCommand): Completed {
  const usage = new RegExp(`^countersign ${name} ([a-z]+)\\b`, "gm");
  const subcommands = [...help.matchAll(usage)].map(([, word = ""]) => word);
  const described = [...help.matchAll(/^ +(--[a-z-]+)/gm)].map(([, option = ""]) => option);
  const inUsage = help.split("\n").filter((line) => line.startsWith(`countersign ${name}`));
  const options = [...(inUsage.join(" ").match(/--[a-z-]+/g) ?? []), ...described];
  return {
    name,
    summary,
    subcommands: [...new Set(subcommands)],
    options: [...new Set([...options, "--help"])],
  };
}

const scripts: Readonly<Record<(typeof shells)[number], (commands: readonly Completed[]) => string>> = {
  bash: (commands) => `# Completes the commands of countersign, and the options of each.
_countersign() {
  local word="\${COMP_WORDS[COMP_CWORD]}" choices=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    choices="${commands.map(({ name }) => name).join(" ")} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${commands.map((command) => `      ${command.name}) choices="${wordsOf(command).join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
}
complete -o default -F _countersign countersign`,

  zsh: (commands) => `#compdef countersign
# Completes the commands of countersign, and the options of each.
_countersign() {
  local -a choices
  if (( CURRENT == 2 )); then
    choices=(
${commands.map(({ name, summary }) => `      '${name}:${quoted(summary)}'`).join("\n")}
    )
    _describe command choices
    return
  fi
  case "$words[2]" in
${commands.map((command) => `    ${command.name}) choices=(${wordsOf(command).join(" ")}) ;;`).join("\n")}
  esac
  compadd -- $choices
  _files
}
if [ "$funcstack[1]" = _countersign ]; then _countersign "$@"; else compdef _countersign countersign; fi`,

  fish: (commands) =>
    [
      "# Completes the commands of countersign, and the options of each.",
      ...commands.flatMap((command) => [
        `complete -c countersign -n __fish_use_subcommand -f -a ${command.name} -d '${quoted(command.summary)}'`,
        ...command.subcommands.map(
          (word) => `complete -c countersign -n '__fish_seen_subcommand_from ${command.name}' -f -a ${word}`,
        ),
        ...command.options.map(
          (option) =>
            `complete -c countersign -n '__fish_seen_subcommand_from ${command.name}' -l ${option.slice(2)}`,
        ),
      ]),
    ].join("\n"),
};

function wordsOf({ subcommands, options }: Completed): string[] {
  return [...subcommands, ...options];
}

function quoted(text: string): string {
  return text.replaceAll("'", "’").replaceAll(":", "\\:");
}
