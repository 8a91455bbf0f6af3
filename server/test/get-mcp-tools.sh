#!/usr/bin/env bash
# Puts the conformance suite and the inspector of the Model Context Protocol into a folder. Needs npm; 223 packages, 144 MB.
set -euo pipefail
folder=${1:?usage: get-mcp-tools.sh FOLDER}
mkdir -p "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$folder" \
  @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0
