package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

const aboutConfig = `A flag's value is what the command line says, else what the environment says,
else what the configuration file says, else its default.

The variable of a flag is PODAUTOPSY_ and its long name in capitals, with _ for
-: PODAUTOPSY_TIMEZONE, PODAUTOPSY_MAX_FILE_SIZE. An empty variable counts as
unset. Several values of a flag that may be repeated are parted by commas.

The file is podautopsy/config.yaml in $XDG_CONFIG_HOME (by default ~/.config; on
Windows %AppData%), or the file that PODAUTOPSY_CONFIG names. Its keys are long
names of flags; those under a command's name are for that command alone:

  timezone: Europe/Berlin
  max-file-size: 2GiB
  analyze:
    output: [text, markdown=ticket.md]
    profile: jira

No other file is read as configuration: none in the working directory, and none
of a bundle, wherever it lies.`

// configTopic is help without a command: podautopsy help config.
func configTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "defaults of flags: environment, configuration file",
		Long:  aboutConfig,
		Example: `  PODAUTOPSY_COLOR=never podautopsy analyze bundle/
  PODAUTOPSY_CONFIG=/etc/podautopsy.yaml podautopsy analyze bundle/`,
	}
}

// configure gives the flags that the command line leaves alone the values of
// the environment and of the configuration file.
func (c *cli) configure(cmd *cobra.Command) error {
	if !configurable(cmd) {
		return nil
	}
	file, err := c.readConfig(cmd.Root())
	if err != nil {
		return err
	}
	own := commandName(cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err != nil || f.Changed || !keepsValue(f) {
			return
		}
		variable := configVariable(f.Name)
		if value := c.env(variable); value != "" {
			values := []string{value}
			if repeatable(f) {
				values = strings.Split(value, ",")
			}
			err = setFlag(f, values, variable)
			return
		}
		s, ok := file.settings[own][f.Name]
		if !ok {
			s, ok = file.settings[""][f.Name]
		}
		if ok {
			err = setFlag(f, s.values, fmt.Sprintf("%s:%d: %s", file.path, s.line, f.Name))
		}
	})
	return err
}

// configurable tells the commands that read something from those that must
// work whatever is configured: help and what shells ask for.
func configurable(cmd *cobra.Command) bool {
	switch commandName(cmd) {
	case "", "help", "version", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return false
	}
	return cmd.Runnable() && (cmd.Parent() == nil || cmd.Parent().Name() != "completion")
}

// commandName is a command's path without the program: "signatures count".
func commandName(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return ""
	}
	return strings.TrimSpace(commandName(cmd.Parent()) + " " + cmd.Name())
}

func configVariable(flag string) string {
	return "PODAUTOPSY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// keepsValue is of flags that say how something is done, not that help is
// wanted instead.
func keepsValue(f *pflag.Flag) bool { return f.Name != "help" && f.Name != "version" }

func repeatable(f *pflag.Flag) bool {
	switch f.Value.(type) {
	case pflag.SliceValue, *assumedZones, *assumedYears:
		return true
	}
	return false
}

// setFlag gives a flag a value that is not from the command line: it does not
// count as changed.
func setFlag(f *pflag.Flag, values []string, where string) error {
	if len(values) > 1 && !repeatable(f) {
		return usagef("%s: one value, not %d", where, len(values))
	}
	for _, v := range values {
		if err := f.Value.Set(v); err != nil {
			return usage(fmt.Errorf("%s: %q: %w", where, v, err), "podautopsy help config tells of the environment and the file")
		}
	}
	return nil
}

// configuration is what a user's file says of the flags of every command, and
// under "" of all commands together.
type configuration struct {
	path     string
	settings map[string]map[string]setting
}

type setting struct {
	values []string
	line   int
}

// longestConfig is more than anybody writes by hand.
const longestConfig = 1 << 20

func (c *cli) readConfig(root *cobra.Command) (*configuration, error) {
	path, named := c.configPath()
	if path == "" {
		return &configuration{}, nil
	}
	data, err := readShort(path, longestConfig)
	absent := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	if absent && !named {
		return &configuration{}, nil
	}
	if err != nil {
		return nil, usage(fmt.Errorf("reading the configuration: %w", err), "podautopsy help config tells where it is looked for")
	}
	return parseConfig(path, data, root)
}

func readShort(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, fmt.Errorf("%s is longer than %d KiB", path, limit>>10)
	}
	return data.Bytes(), nil
}

// configPath is where the configuration is, and whether the user said so. A
// folder that is not absolute is nobody's home: it would be a file of wherever
// the program is run, perhaps of a bundle.
func (c *cli) configPath() (path string, named bool) {
	if path := c.env("PODAUTOPSY_CONFIG"); path != "" {
		return path, true
	}
	dir := c.env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		if runtime.GOOS == "windows" {
			dir = c.env("AppData")
		} else {
			dir = filepath.Join(c.env("HOME"), ".config")
		}
	}
	if !filepath.IsAbs(dir) {
		return "", false
	}
	return filepath.Join(dir, "podautopsy", "config.yaml"), false
}

func parseConfig(path string, data []byte, root *cobra.Command) (*configuration, error) {
	file := &configuration{path: path, settings: map[string]map[string]setting{}}
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&doc); errors.Is(err, io.EOF) {
		return file, nil
	} else if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", path, err), "podautopsy help config shows an example")
	}
	flags := flagsByCommand(root)
	return file, file.take("", doc.Content[0], flags)
}

// take reads the settings of one command; those for all hold the others'.
func (file *configuration) take(command string, node *yaml.Node, flags map[string][]string) error {
	at := func(n *yaml.Node, format string, args ...any) *exitError {
		return usagef("%s:%d: %s", file.path, n.Line, fmt.Sprintf(format, args...))
	}
	if node.Kind != yaml.MappingNode {
		return hint(at(node, "flags and their values are wanted"), "podautopsy help config shows an example")
	}
	file.settings[command] = map[string]setting{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name := key.Value
		if _, ok := flags[name]; ok && command == "" && value.Kind == yaml.MappingNode {
			if err := file.take(name, value, flags); err != nil {
				return err
			}
			continue
		}
		if !slices.Contains(flags[command], name) {
			err := at(key, "no flag %q", name)
			if command != "" {
				err = at(key, "%s has no flag %q", command, name)
			}
			if near := nearest(name, flags[command]); near != "" {
				return hint(err, "did you mean %s?", near)
			}
			return hint(err, "keys are long names of flags, and names of commands: podautopsy help config")
		}
		values := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			values = value.Content
		}
		s := setting{line: key.Line}
		for _, v := range values {
			if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
				return at(v, "%s wants a value", name)
			}
			s.values = append(s.values, v.Value)
		}
		file.settings[command][name] = s
	}
	return nil
}

// flagsByCommand are the long names that a configuration may hold, of every
// command, and under "" of all.
func flagsByCommand(root *cobra.Command) map[string][]string {
	flags := map[string][]string{"": nil}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if configurable(cmd) {
			name := commandName(cmd)
			flags[name] = []string{}
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if keepsValue(f) {
					flags[name] = append(flags[name], f.Name)
					flags[""] = append(flags[""], f.Name)
				}
			})
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	slices.Sort(flags[""])
	flags[""] = slices.Compact(flags[""])
	return flags
}
