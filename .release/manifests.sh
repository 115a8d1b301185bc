# Writes the Homebrew formula, the Scoop manifest and the container file of a release; .ci/release sources it.
# shellcheck shell=bash disable=SC2154 # .ci/release sets the variables
licence_line=
[ "$licence" = Unknown ] || licence_line=$'\n'"  license \"$licence\""
cat >"$stage/sdd.rb" <<END
class Sdd < Formula
  desc "Keep what a project finds out as Markdown in git"
  homepage "$address"
  version "${number}"${licence_line}

  on_macos do
    on_arm do
      url "${url[darwin/arm64]}"
      sha256 "${sums[darwin/arm64]}"
    end
    on_intel do
      url "${url[darwin/amd64]}"
      sha256 "${sums[darwin/amd64]}"
    end
  end

  on_linux do
    on_arm do
      url "${url[linux/arm64]}"
      sha256 "${sums[linux/arm64]}"
    end
    on_intel do
      url "${url[linux/amd64]}"
      sha256 "${sums[linux/amd64]}"
    end
  end

  def install
    bin.install "sdd"
    bash_completion.install "completions/sdd.bash" => "sdd"
    zsh_completion.install "completions/_sdd"
    fish_completion.install "completions/sdd.fish"
    man1.install Dir["man/man1/*.1"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sdd version")
  end
end
END
scoop() {
	jq -n --arg url "${url[$1]}" --arg hash "${sums[$1]}" '{url: $url, hash: $hash, extract_dir: ($url | split("/")[-1] | rtrimstr(".zip"))}'
}
jq -n --arg number "$number" --arg about "$about" --arg address "$address" --arg licence "$licence" --argjson amd64 "$(scoop windows/amd64)" \
	--argjson arm64 "$(scoop windows/arm64)" '{version: $number, description: $about, homepage: $address, license: $licence,
	architecture: {"64bit": $amd64, arm64: $arm64}, bin: "sdd.exe"}' >"$stage/sdd.json"
cat >"$stage/Containerfile" <<END
# The MCP server in a container. Build it in the folder of the release, for one platform or several:
#
#   podman build -t sdd:${number} .
#   docker buildx build -f Containerfile --platform linux/amd64,linux/arm64 -t sdd:${number} .
#
# and run it on a project as the user whose files they are, without a network:
#
#   docker run -i --rm --network none --user "\$(id -u):\$(id -g)" -v "\$PWD:/project" sdd:${number}
#
# git is in it. Without git records are saved, searched and read all the same, but nothing that looks at commits works: --at, diff, log,
# why, merge and its driver, review-pr, hooks, extract, and what sdd_context says of commits.
FROM alpine:3.22
ARG TARGETARCH
ADD sdd_${number}_linux_\${TARGETARCH}.tar.gz /opt/
# The project belongs to somebody else than root, as far as git can see: it is the one folder that is mounted on purpose.
RUN apk add --no-cache git \\
 && git config --system --add safe.directory /project \\
 && mv /opt/sdd_${number}_linux_\${TARGETARCH} /opt/sdd \\
 && ln -s /opt/sdd/sdd /usr/local/bin/sdd
ENV HOME=/tmp
USER 65532:65532
WORKDIR /project
LABEL org.opencontainers.image.title="sdd" \\
      org.opencontainers.image.description="${about}" \\
      org.opencontainers.image.source="${address}" \\
      org.opencontainers.image.version="${number}" \\
      org.opencontainers.image.revision="${commit}" \\
      org.opencontainers.image.created="${date}" \\
      io.modelcontextprotocol.server.name="io.github.${owner}/sdd"
ENTRYPOINT ["/usr/local/bin/sdd"]
CMD ["mcp"]
END
