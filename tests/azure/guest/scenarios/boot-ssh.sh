# SPDX-License-Identifier: MIT
#
# The machine as it is after boot, for the scenario ssh.

bring_up
settled_state | tee /run/azure/state
