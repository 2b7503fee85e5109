#!/bin/sh
# Installs EchoMind from the wheels in /wheels into /opt/echomind: `install.sh EXTRA`; without an extra its base alone.
set -eu
extra=$1
python3 -m venv --without-pip /opt/echomind
wheel=$(ls /wheels/echomind-*.whl)
pip=$(ls /wheels/pip-*.whl)
python3 "$pip/pip" --python /opt/echomind/bin/python install --quiet --no-index --find-links /wheels --no-cache-dir \
    --no-compile "echomind${extra:+[$extra]} @ file://$wheel"
# Compiled once here, as a container with a read-only root cannot keep what it compiles. Some packages have files that are
# not valid Python, such as templates, which nothing imports.
/opt/echomind/bin/python -W ignore -m compileall -qq -j 0 --invalidation-mode unchecked-hash /opt/echomind/lib || true
find /opt/echomind -name tests -type d -path '*/site-packages/*' -prune -exec rm -rf {} +
